use crate::environment::Environment;

/// Text of a `.netrc` file.
#[derive(Default)]
pub(crate) struct Netrc(pub(crate) String);

impl Netrc {
    /// Reads `$NETRC`, else `~/.netrc`, else `~/_netrc`; empty if none of them exists.
    pub(crate) fn read(environment: &Environment) -> Self {
        let in_home = [".netrc", "_netrc"].map(|name| environment.home().map(|home| home.join(name)));
        let mut paths = std::iter::once(environment.path("NETRC")).chain(in_home).flatten();
        Self(paths.find_map(|path| std::fs::read_to_string(path).ok()).unwrap_or_default())
    }

    /// Returns user and password of the first entry for a host; `default` is an entry for every host.
    pub(crate) fn login(&self, host: &str) -> Option<(&str, &str)> {
        let mut in_macro = false;
        // A macro lasts until an empty line.
        let is_kept = |line: &&str| {
            in_macro = line.starts_with("macdef") || (in_macro && !line.is_empty());
            !in_macro && !line.starts_with('#')
        };
        let mut words = self.0.lines().map(str::trim).filter(is_kept).flat_map(str::split_ascii_whitespace);
        let mut login = None;
        while let Some(word) = words.next() {
            match (word, &mut login) {
                ("machine" | "default", Some(_)) => break,
                ("default", None) => login = Some(("", "")),
                ("machine", None) => login = words.next()?.eq_ignore_ascii_case(host).then_some(("", "")),
                ("login", Some((user, _))) => *user = words.next()?,
                ("password", Some((_, password))) => *password = words.next()?,
                ("login" | "password" | "account", _) => drop(words.next()),
                _ => {}
            }
        }
        login
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logins_are_found_by_machine() {
        let text = "# machine no login a password b\nmachine a.org login me password s3cret\n\
                    macdef x\nmachine b.org login no password no\n\nmachine c.org\n  login you\n  password p\n";
        let netrc = Netrc(text.to_owned());
        assert_eq!(netrc.login("A.org"), Some(("me", "s3cret")));
        assert_eq!(netrc.login("c.org"), Some(("you", "p")));
        assert_eq!(netrc.login("b.org"), None);
        assert_eq!(Netrc("default login d password e".to_owned()).login("b.org"), Some(("d", "e")));
    }
}
