use tabulon::render::{fit, render};
use tabulon::{csv, width, Table};

#[test]
fn never_wider() {
    for cell in ["Bürgermeister-Müller-Straße 17", "日本語日本語", "a日b本c", "e\u{301}e\u{301}e\u{301}", "😀😀😀", "ab\ncd"] {
        for limit in 2..40 {
            let cut = fit(cell, limit);
            assert!(width::of(&cut) <= limit, "{cell} in {limit}: {cut}");
            let whole = !cell.contains('\n') && width::of(cell) <= limit;
            assert_eq!(cut == cell, whole, "{cell} in {limit}: {cut}");
            assert!(whole || cut.ends_with('…'));
        }
    }
}

#[test]
fn as_much_as_fits() {
    assert_eq!(fit("Straße 17", 7), "Straße…");
    assert_eq!(fit("Straße", 6), "Straße");
    assert_eq!(fit("日本語", 5), "日本…");
    assert_eq!(fit("日本語", 4), "日…");
    assert_eq!(fit("日本語", 6), "日本語");
    assert_eq!(fit("e\u{301}e\u{301}", 2), "e\u{301}e\u{301}");
    assert_eq!(fit("", 2), "");
    assert_eq!(fit("one\r\ntwo", 30), "one…");
}

#[test]
fn columns_are_aligned() {
    let rows = csv::parse("name,n\n日本,1\ne\u{301}te\u{301},22\nSüd,3\nlonger,4\n").unwrap();
    let text = render(&Table::new(rows).unwrap(), 30);
    assert_eq!(
        text,
        "name     n\n日本     1\ne\u{301}te\u{301}     22\nSüd      3\nlonger   4\n"
    );
}

#[test]
fn long_cells_in_tables() {
    let rows = csv::parse("a,b\nBürgermeister-Müller-Straße 17,x\n").unwrap();
    let text = render(&Table::new(rows).unwrap(), 28);
    assert_eq!(text.lines().nth(1).unwrap(), "Bürgermeister-Müller-Straße…  x");
}
