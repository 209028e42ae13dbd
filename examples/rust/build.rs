//! Makes the versions known of which ready events have the names: of the compiler, and of libraries as Cargo.lock has them.

use std::process::Command;

fn main() {
    let compiler = Command::new(std::env::var("RUSTC").unwrap()).arg("--version").output().unwrap();
    let words = String::from_utf8(compiler.stdout).unwrap();
    println!("cargo::rustc-env=VERSION_RUSTC={}", words.split_whitespace().nth(1).unwrap());
    let lock = std::fs::read_to_string("Cargo.lock").unwrap();
    for name in ["tokio", "hyper", "tokio-tungstenite", "tonic", "lapin"] {
        let (_, after) = lock.split_once(&format!("name = \"{name}\"\nversion = \"")).unwrap();
        let (version, _) = after.split_once('"').unwrap();
        println!("cargo::rustc-env=VERSION_{name}={version}");
    }
    println!("cargo::rerun-if-changed=Cargo.lock");
}
