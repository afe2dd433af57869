//! What a search finds: views, metaslabs by number, offset or DVA, data sets. No browser needed.

use crate::route::{Route, View, number};
use crate::text;
use tidepool::view::{DatasetView, MapView, VdevMapView};

/// Most places offered.
const LIMIT: usize = 12;

/// A place to go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// What it is.
    pub label: String,
    /// More about it.
    pub note: String,
    /// The place.
    pub route: Route,
}

/// Places that `query` may mean, the most exact first.
pub fn hits(
    query: &str,
    here: &Route,
    map: Option<&MapView>,
    datasets: &[DatasetView],
) -> Vec<Hit> {
    let query = query.trim();
    let mut found: Vec<Hit> = map.map(|m| spaces(query, here, m)).unwrap_or_default();
    let lower = query.to_lowercase();
    let named =
        datasets.iter().filter(|d| !query.is_empty() && d.name.to_lowercase().contains(&lower));
    found.extend(named.map(|d| Hit {
        label: d.name.clone(),
        note: if d.snapshot { "snapshot".into() } else { d.kind.clone() },
        route: Route {
            dataset: d.name.clone(),
            dir: String::new(),
            object: None,
            ..here.with(View::Files)
        },
    }));
    let views = View::ALL.into_iter().filter(|v| v.word().starts_with(&lower));
    found.extend(views.map(|v| Hit {
        label: v.label().into(),
        note: format!("key {}", v.key()),
        route: here.with(v),
    }));
    found.truncate(LIMIT);
    found
}

fn spaces(query: &str, here: &Route, map: &MapView) -> Vec<Hit> {
    let lower = query.to_lowercase();
    let bare = lower.strip_prefix("metaslab").or(lower.strip_prefix("ms")).unwrap_or(&lower).trim();
    let mut found = Vec::new();
    // A DVA: vdev:offset in hexadecimal, perhaps with more behind it.
    if let Some((vdev, rest)) = lower.split_once(':') {
        let offset = rest.split(':').next().unwrap_or(rest);
        let at = vdev.parse::<u64>().ok().zip(u64::from_str_radix(offset, 16).ok());
        let vdev = at.and_then(|(id, _)| map.vdevs.iter().find(|v| v.id == id));
        found.extend(at.zip(vdev).and_then(|((_, offset), v)| at_offset(here, v, offset)));
        return found;
    }
    let Some(n) = number(bare) else {
        return found;
    };
    for vdev in &map.vdevs {
        if !bare.starts_with("0x") && vdev.metaslabs.iter().any(|m| m.id == n) {
            found.push(Hit {
                label: format!("Metaslab {n}"),
                note: vdev.name.clone(),
                route: here.to_metaslab(vdev.id, n),
            });
        }
        if bare.starts_with("0x") || n >= 1 << 16 {
            found.extend(at_offset(here, vdev, n));
        }
    }
    found
}

/// The stretch around an offset of a vdev: 256 sectors.
fn at_offset(here: &Route, vdev: &VdevMapView, offset: u64) -> Option<Hit> {
    let m = vdev.metaslabs.iter().find(|m| offset >= m.offset && offset - m.offset < m.size)?;
    let half = 128u64 << vdev.ashift.min(16);
    let inside = offset - m.offset;
    let mut route = here.to_metaslab(vdev.id, m.id);
    route.stretch = Some((inside.saturating_sub(half), (inside + half).min(m.size)));
    route.tree = false;
    Some(Hit {
        label: format!("Offset {}", text::hex(offset)),
        note: format!("metaslab {} of {}", m.id, vdev.name),
        route,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn labels(query: &str) -> Vec<String> {
        let map = fixture::map(&[4, 2]);
        let found = hits(query, &Route::default(), Some(&map), &[]);
        found.into_iter().map(|h| format!("{} ({})", h.label, h.note)).collect()
    }

    #[test]
    fn numbers_offsets_and_dvas_lead_to_metaslabs() {
        assert_eq!(labels("1"), ["Metaslab 1 (disk-0)", "Metaslab 1 (disk-1)"]);
        assert_eq!(labels("metaslab 3"), ["Metaslab 3 (disk-0)"]);
        assert_eq!(labels("1:20000000:1000"), ["Offset 0x20000000 (metaslab 1 of disk-1)"]);
        assert_eq!(labels("0x7fffffff"), ["Offset 0x7fffffff (metaslab 3 of disk-0)"]);
        assert_eq!(labels("9:0"), Vec::<String>::new());
        assert_eq!(labels("0xffffffffffffffff"), Vec::<String>::new());
    }

    #[test]
    fn views_go_by_their_names() {
        assert_eq!(labels("lab"), ["Labels (key 6)"]);
        assert_eq!(labels("").len(), View::ALL.len());
    }

    #[test]
    fn an_offset_is_shown_with_its_surroundings() {
        let map = fixture::map(&[4]);
        let found = hits("0x20001000", &Route::default(), Some(&map), &[]);
        let route = &found[0].route;
        assert_eq!((route.metaslab, route.stretch), (1, Some((0, 0x81000))));
    }
}
