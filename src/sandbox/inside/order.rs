//! The order as it comes: numbers in little-endian order, behind the length of all.

use super::calls::{call, nr};
use super::{EINTR, Failure, ORDER};
use core::ptr::addr_of_mut;

/// As `wire::MAX_ORDER`.
const MAX_ORDER: usize = 64 << 10;

static mut BUFFER: [u8; MAX_ORDER] = [0; MAX_ORDER];

/// What is left of the order.
pub(crate) struct Order(&'static [u8]);

impl Order {
    pub(crate) fn take(&mut self, length: usize) -> Result<&'static [u8], Failure> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or((ORDER, 0))?;
        self.0 = rest;
        Ok(taken)
    }

    pub(crate) fn number(&mut self) -> Result<usize, Failure> {
        let bytes = self.take(4)?;
        let bytes = bytes.try_into().map_err(|_| (ORDER, 0))?;
        Ok(u32::from_le_bytes(bytes) as usize)
    }

    pub(crate) fn long(&mut self) -> Result<u64, Failure> {
        let bytes = self.take(8)?;
        Ok(u64::from_le_bytes(
            bytes.try_into().map_err(|_| (ORDER, 0))?,
        ))
    }
}

/// The whole order, from standard input.
pub(crate) fn read_order() -> Result<Order, Failure> {
    let mut length = [0_u8; 4];
    read_whole(&mut length)?;
    let length = u32::from_le_bytes(length) as usize;
    let buffer: &'static mut [u8] = unsafe { &mut *addr_of_mut!(BUFFER) };
    let body = buffer.get_mut(..length).ok_or((ORDER, 0))?;
    read_whole(body)?;
    Ok(Order(body))
}

fn read_whole(into: &mut [u8]) -> Result<(), Failure> {
    let mut done = 0;
    while done < into.len() {
        let rest = &mut into[done..];
        let read = [0, rest.as_mut_ptr() as usize, rest.len(), 0, 0];
        match call(nr::READ, read) {
            Ok(0) => return Err((ORDER, 0)),
            Ok(n) => done += n,
            Err(EINTR) => {}
            Err(code) => return Err((ORDER, code)),
        }
    }
    Ok(())
}
