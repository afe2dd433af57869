//! Directories as `ls -l` shows them.

use super::{Table, date};
use crate::out::Output;
use std::io::Result;
use tidepool::view::FileView;

/// One line a file.
pub(crate) fn print(out: &mut Output, files: &[FileView]) -> Result<()> {
    if files.is_empty() {
        return out.line("empty");
    }
    let columns = ["MODE", ">LINKS", ">UID", ">GID", ">SIZE", "CHANGED (UTC)", ">OBJECT", "NAME"];
    let mut table = Table::new(&columns);
    for file in files {
        table.row([
            mode(file),
            file.links.to_string(),
            file.uid.to_string(),
            file.gid.to_string(),
            file.size.to_string(),
            date(file.mtime.0),
            file.object.to_string(),
            name(file),
        ]);
    }
    table.print(out, "")
}

fn name(file: &FileView) -> String {
    let mut name = file.name.clone();
    if let Some(target) = &file.target {
        name.push_str(" -> ");
        name.push_str(target);
    }
    if !file.xattrs.is_empty() {
        name.push_str(&format!(" [{}]", file.xattrs.join(", ")));
    }
    if let Some(problem) = &file.problem {
        name.push_str(&format!(" (unreadable: {problem})"));
    }
    name
}

/// `drwxr-xr-x`.
fn mode(file: &FileView) -> String {
    let mut text = String::from(match &*file.kind {
        "dir" => "d",
        "symlink" => "l",
        "block" => "b",
        "char" => "c",
        "fifo" => "p",
        "socket" => "s",
        "file" => "-",
        _ => "?",
    });
    for (bit, letter) in (0..9).rev().zip("rwxrwxrwx".chars()) {
        let set = file.mode >> bit & 1 == 1;
        text.push(if set { letter } else { '-' });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use tidepool::base::ObjectId;

    #[test]
    fn modes_and_links_print_as_ls_prints_them() {
        let mut file = FileView {
            name: "a".into(),
            object: ObjectId(7),
            kind: "dir".into(),
            mode: 0o040_751,
            uid: 0,
            gid: 0,
            size: 2,
            links: 2,
            mtime: (0, 0),
            target: None,
            xattrs: Vec::new(),
            problem: None,
        };
        assert_eq!(mode(&file), "drwxr-x--x");
        file.kind = "symlink".into();
        file.mode = 0o777;
        file.target = Some("b".into());
        assert_eq!(mode(&file), "lrwxrwxrwx");
        assert_eq!(name(&file), "a -> b");
    }
}
