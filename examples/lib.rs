//! Examples live beside this file; each is a program of its own.
