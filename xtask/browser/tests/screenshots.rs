//! Pictures of each view for people to look at: `CRD_BROWSER_PICTURES=FOLDER cargo test -p crd-browser --test site screenshots`.

use std::fs;
use std::path::{Path, PathBuf};

use crd_browser::{Browser, Theme};

use crate::opening::VIEWS;
use crate::pages;

/// The environment variable with the folder.
const VARIABLE: &str = "CRD_BROWSER_PICTURES";

#[test]
fn pictures_of_each_view() {
    let Some(folder) = std::env::var_os(VARIABLE).map(PathBuf::from) else {
        println!("skipped: {VARIABLE} names no folder");
        return;
    };
    let Some(browser) = Browser::start() else { return };
    fs::create_dir_all(&folder).expect("a folder");
    for theme in Theme::ALL {
        for width in [360, 768, 1280] {
            browser.width(width);
            browser.media("screen", theme);
            let write = |name: &str| {
                let file = folder.join(format!("{name}-{width}-{}.png", theme.name()));
                fs::write(&file, browser.picture(3000)).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            };
            let page: &Path = pages::gateway_api();
            for (name, address) in VIEWS {
                pages::open(&browser, page, address);
                write(name);
            }
            pages::open(&browser, page, "#/");
            browser.press(['/']);
            browser.press("route timeouts".chars());
            write("search");
            browser.media("print", theme);
            pages::open(&browser, page, VIEWS[1].1);
            write("print");
        }
    }
    browser.without_javascript();
    for theme in Theme::ALL {
        browser.media("screen", theme);
        browser.open(pages::gateway_api(), "");
        fs::write(folder.join(format!("without-javascript-{}.png", theme.name())), browser.picture(3000))
            .expect("a picture");
    }
}
