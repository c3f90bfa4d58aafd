//! The process that writes canonical forms by serde_json_canonicalizer;
//! ../../worker.go says what it is told.

use serde::Deserialize;
use std::error::Error;
use std::io::{self, BufRead, Write};
use std::time::Instant;
use std::{fs, process};

type Inputs = Vec<Vec<Vec<u8>>>;

/// canonical is what the library's own `pipe` does, into a buffer that is kept
/// and without its limit of 128 levels.
fn canonical(text: &[u8], out: &mut Vec<u8>) -> Result<(), Box<dyn Error>> {
    let mut reader = serde_json::Deserializer::from_slice(text);
    reader.disable_recursion_limit();
    let value = serde_json::Value::deserialize(&mut reader)?;
    reader.end()?;
    out.clear();
    serde_json_canonicalizer::to_writer(&value, out)?;
    Ok(())
}

fn obey(words: &[&str], inputs: &mut Inputs) -> Result<String, Box<dyn Error>> {
    if let ["load", file] = words {
        let all = fs::read(file)?;
        let text = all.strip_suffix(b"\n").unwrap_or(&all);
        inputs.push(text.split(|&c| c == b'\n').map(<[u8]>::to_vec).collect());
        return Ok("ok".into());
    }
    let mut out = Vec::new();
    match words {
        ["write", i, file] => {
            let mut to = io::BufWriter::new(fs::File::create(file)?);
            for text in &inputs[i.parse::<usize>()?] {
                canonical(text, &mut out)?;
                to.write_all(&out)?;
                to.write_all(b"\n")?;
            }
            to.flush()?;
            Ok("ok".into())
        }
        ["run", i, n] => {
            let texts = &inputs[i.parse::<usize>()?];
            let n = n.parse::<usize>()?;
            let began = Instant::now();
            for _ in 0..n {
                for text in texts {
                    canonical(text, &mut out)?;
                    std::hint::black_box(&out);
                }
            }
            Ok(format!("ok\t{}\t-1", began.elapsed().as_nanos()))
        }
        _ => Err(format!("what is {words:?}").into()),
    }
}

fn main() {
    let mut inputs = Inputs::new();
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { process::exit(4) };
        let words: Vec<&str> = line.split('\t').collect();
        match obey(&words, &mut inputs) {
            Ok(answer) => println!("{answer}"),
            Err(error) => println!("no\t{error}"),
        }
    }
}
