use super::picture::Picture;
use super::svg::svg;
use crate::Escaped;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Content security policy: loads and runs nothing but the page's own style and script.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// Returns a page with a zoomable picture. Without its script it still shows the picture, with the browser's tooltips.
pub fn page(picture: &Picture) -> String {
    let (title, picture) = (Escaped(&picture.title), svg(picture));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{picture}\
         <p class=\"tools\" role=\"group\" aria-label=\"View\" hidden>\
         <button type=\"button\" id=\"nearer\">Zoom in</button> \
         <button type=\"button\" id=\"farther\">Zoom out</button> \
         <button type=\"button\" id=\"reset\">Reset</button></p>\n</main>\n\
         <div id=\"card\" role=\"tooltip\" hidden></div>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::svg::tests::picture;

    #[test]
    fn the_page_is_complete_and_safe() {
        let page = page(&picture());
        assert_eq!(page.matches("<script").count(), 1);
        assert_eq!(page.matches("http").count() - page.matches("http-equiv").count(), 1, "only the namespace");
        assert!(!SCRIPT.contains("innerHTML") && !SCRIPT.contains("</") && !STYLE.contains("url("));
    }
}
