use crate::environment::Environment;

/// The logins of a `.netrc` file, in its order.
#[derive(Debug, Default)]
pub(crate) struct Netrc(Vec<Login>);

#[derive(Debug, Default)]
struct Login {
    /// None for `default`, which answers for every machine.
    machine: Option<String>,
    user: String,
    password: String,
}

impl Netrc {
    /// `$NETRC`, else `~/.netrc`, else `~/_netrc`; empty where there is none.
    pub(crate) fn read(environment: &Environment) -> Self {
        let home = environment.home();
        let in_home = [".netrc", "_netrc"].map(|name| home.as_ref().map(|home| home.join(name)));
        let paths = std::iter::once(environment.path("NETRC")).chain(in_home).flatten();
        paths
            .filter_map(|path| std::fs::read_to_string(path).ok())
            .next()
            .map(|text| Self::parse(&text))
            .unwrap_or_default()
    }

    pub(crate) fn parse(text: &str) -> Self {
        let mut logins: Vec<Login> = Vec::new();
        let mut words =
            without_macros(text).split_ascii_whitespace().map(str::to_owned).collect::<Vec<_>>().into_iter();
        while let Some(word) = words.next() {
            match (word.as_str(), logins.last_mut()) {
                ("machine", _) => logins.push(Login { machine: words.next(), ..Login::default() }),
                ("default", _) => logins.push(Login::default()),
                ("login", Some(login)) => login.user = words.next().unwrap_or_default(),
                ("password", Some(login)) => login.password = words.next().unwrap_or_default(),
                ("account", Some(_)) => drop(words.next()),
                _ => {}
            }
        }
        Self(logins)
    }

    /// User and password for a host.
    pub(crate) fn login(&self, host: &str) -> Option<(&str, &str)> {
        let answers =
            |login: &&Login| login.machine.as_deref().is_none_or(|machine| machine.eq_ignore_ascii_case(host));
        self.0.iter().find(answers).map(|login| (login.user.as_str(), login.password.as_str()))
    }
}

/// Drops comments and macros; a macro lasts until an empty line.
fn without_macros(text: &str) -> String {
    let mut in_macro = false;
    let mut kept = String::new();
    for line in text.lines() {
        in_macro = (in_macro && !line.trim().is_empty()) || line.trim_start().starts_with("macdef");
        if !in_macro && !line.trim_start().starts_with('#') {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logins_are_found_by_machine() {
        let text = "# machine no login a password b\nmachine a.org login me password s3cret\n\
                    macdef x\nmachine b.org login no password no\n\nmachine c.org\n  login you\n  password p\n";
        let netrc = Netrc::parse(text);
        assert_eq!(netrc.login("A.org"), Some(("me", "s3cret")));
        assert_eq!(netrc.login("c.org"), Some(("you", "p")));
        assert_eq!(netrc.login("b.org"), None);
        assert_eq!(Netrc::parse("default login d password e").login("b.org"), Some(("d", "e")));
    }
}
