//! A driver over read-only media that answer at once: a worker may block, so every command is
//! done when it is submitted and `next` hands the answers out in order.

use std::collections::VecDeque;
use tidepool::base::Instant;
use tidepool::dev::SparseImage;
use tidepool::rt::{Cmd, DevError, DevId, DevOp, Done, Driver, Tag};

/// Something with positioned reads.
pub trait Media {
    /// Bytes.
    fn size(&self) -> u64;

    /// Exactly `len` bytes from `off`.
    fn read(&mut self, off: u64, len: u32) -> Result<Vec<u8>, DevError>;
}

impl Media for SparseImage {
    fn size(&self) -> u64 {
        Self::size(self)
    }

    fn read(&mut self, off: u64, len: u32) -> Result<Vec<u8>, DevError> {
        Self::read(self, off, len).ok_or(DevError::OutOfRange)
    }
}

/// The driver. Its clock stands still but for explicit waits.
pub struct MediaDriver {
    media: Vec<Box<dyn Media>>,
    done: VecDeque<(Tag, Done)>,
    now: Instant,
}

impl MediaDriver {
    /// A driver whose device `n` is `media[n]`.
    pub fn new(media: Vec<Box<dyn Media>>) -> Self {
        Self { media, done: VecDeque::new(), now: Instant::default() }
    }

    fn read(&mut self, id: DevId, off: u64, len: u32) -> Done {
        let media = self.media.get_mut(id.0 as usize).ok_or(DevError::Offline)?;
        media.read(off, len)
    }
}

impl Driver for MediaDriver {
    fn now(&self) -> Instant {
        self.now
    }

    fn submit(&mut self, tag: Tag, cmd: Cmd) {
        let answer = match cmd {
            Cmd::Dev(id, DevOp::Read { off, len }) => self.read(id, off, len),
            Cmd::WakeAt(at) => {
                self.now = self.now.max(at);
                Ok(Vec::new())
            }
        };
        self.done.push_back((tag, answer));
    }

    fn next(&mut self, _until: Instant) -> Option<(Tag, Done)> {
        self.done.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_come_in_order_under_their_tags() {
        let media: Vec<Box<dyn Media>> = vec![Box::new(SparseImage::from_bytes(b"abcdef"))];
        let mut driver = MediaDriver::new(media);
        let read = |dev, off, len| Cmd::Dev(DevId(dev), DevOp::Read { off, len });
        driver.submit(Tag(1), read(0, 2, 3));
        driver.submit(Tag(2), read(0, 5, 2));
        driver.submit(Tag(3), read(7, 0, 1));
        let next = |d: &mut MediaDriver| d.next(Instant::NEVER);
        assert_eq!(next(&mut driver), Some((Tag(1), Ok(b"cde".to_vec()))));
        assert_eq!(next(&mut driver), Some((Tag(2), Err(DevError::OutOfRange))));
        assert_eq!(next(&mut driver), Some((Tag(3), Err(DevError::Offline))));
        assert_eq!(next(&mut driver), None);
    }
}
