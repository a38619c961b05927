use std::process::ExitCode;
use tabulon::{csv, number, render, Table};

struct Asked {
    file: String,
    share: Option<String>,
    bars: Option<String>,
    limit: usize,
}

fn asked() -> Result<Asked, String> {
    let mut asked = Asked { file: String::new(), share: None, bars: None, limit: 30 };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "--share" => asked.share = Some(value()?),
            "--bars" => asked.bars = Some(value()?),
            "--limit" => asked.limit = value()?.parse().map_err(|_| "--limit needs a number")?,
            _ => asked.file = word,
        }
    }
    if asked.file.is_empty() {
        return Err("usage: tabulon FILE [--share COLUMN] [--bars COLUMN] [--limit N]".into());
    }
    Ok(asked)
}

fn run() -> Result<String, String> {
    let asked = asked()?;
    let text = std::fs::read_to_string(&asked.file).map_err(|e| format!("{}: {e}", asked.file))?;
    let mut table = Table::new(csv::parse(&text).map_err(|e| e.to_string())?)?;
    if let Some(column) = &asked.share {
        let shares = number::shares(&table.numbers(column)?);
        table.push("share", shares.iter().map(|s| format!("{s}%")).collect());
    }
    if let Some(column) = &asked.bars {
        let bars = render::bars(&table.numbers(column)?, 20);
        table.push("", bars);
    }
    Ok(render::render(&table, asked.limit))
}

fn main() -> ExitCode {
    match run() {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("tabulon: {error}");
            ExitCode::FAILURE
        }
    }
}
