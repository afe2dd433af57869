//! Input: pasted text, any bytes.

use tidepool::report::{explain, print};

pub(crate) fn run(data: &[u8]) -> bool {
    let text = String::from_utf8_lossy(data);
    let view = explain(&text);
    assert!(!view.verdict.is_empty(), "no verdict");
    let lines = text.split(['\n', '\r']).count() as u64;
    assert!(view.not_understood.iter().all(|d| d.line <= lines));
    for width in [0, 1, 80] {
        let printed = print(&view, width);
        assert!(printed.len() < (1 << 20) + 1000 * text.len(), "text out of proportion");
    }
    view.kind != "unknown"
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let texts = [
        "Metaslabs:\n\
         \tvdev          0      ms_unflushed_phys object 72\n\
         \tmetaslabs    14   offset                spacemap          free    \n\
         \t---------------   -------------------   ---------------   ------------\n\
         \tmetaslab      0   offset            0   spacemap     66   free    60.1M\n\
         \tmetaslab      1   offset      4000000   spacemap      0   free      64M\n",
        "txg      birth            state ndirty       nread        nwritten     reads    writes   \
         otime        qtime        wtime        stime       \n\
         41       61412345         C     131072       0            1048576      0        57       \
         5121234567   1234         4567         30123456    \n\
         42       66533456         O     0            0            0            0        0        \
         0            0            0            0           \n",
        "              capacity     operations     bandwidth \n\
         pool        alloc   free   read  write   read  write\n\
         ----------  -----  -----  -----  -----  -----  -----\n\
         tank        1.20T   620G     12    340   180K  12.1M\n\
         ----------  -----  -----  -----  -----  -----  -----\n",
    ];
    texts.map(|t| t.as_bytes().to_vec()).into()
}
