//! Throwaway.
#[path = "../../../benches/src/encode.rs"]
mod encode;
fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    encode::run(arguments[0].as_ref(), arguments[1].as_ref())
}
