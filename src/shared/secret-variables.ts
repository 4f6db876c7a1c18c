/** Parts of names that variables with keys, passwords and sessions have. */
const SECRET_NAME =
  /KEY|TOKEN|SECRET|PASSW|PASSPHRASE|_PASS$|_PWD$|CREDENTIAL|(?:^|_)AUTH|BEARER|COOKIE|PRIVATE|(?:^|_)PAT$|(?:^|_)DSN$|CONNECTION_?STRING|WEBHOOK|DATABASE_URL|LICENSE|NETRC|SESSION_(?:ID|TOKEN)|_SALT$|_SEED$/i

/** Addresses with a password, and the shapes that well-known services give their keys. */
const SECRET_VALUE =
  /:\/\/[^/\s:@]*:[^/\s@]+@|^(?:sk-|sk_|pk_|rk_|gh[opsu]_|github_pat_|glpat-|xox[a-z]-|AKIA|ASIA|AIza|ya29\.|npm_|pypi-|hf_|SG\.|eyJ[\w-]+\.)|-----BEGIN/

/** Names of git and of this program that only look like secrets. */
const HARMLESS_NAME = /^(?:GIT_CONFIG_KEY_\d+|HAFT_MARK)$/

/** Whether an environment variable seems to hold a secret. Some are missed: a name or value can be anything. */
export function isSecretVariable(name: string, value: string): boolean {
  return !HARMLESS_NAME.test(name) && (SECRET_NAME.test(name) || SECRET_VALUE.test(value))
}
