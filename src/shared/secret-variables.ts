type Variables = Readonly<Record<string, string | undefined>>

/** Matches the names, in upper case, of variables that usually hold keys, passwords or session ids. */
const SECRET_NAME =
  /KEY|TOKEN|SECRET|PASSW|PASSPHRASE|_PASS$|_PWD$|CREDENTIAL|(?:^|_)AUTH(?!OR)|BEARER|COOKIE|PRIVATE|(?:^|_)PAT$|(?:^|_)DSN$|CONNECTION_?STRING|WEBHOOK|DATABASE_URL|LICENSE|NETRC|SESSION_(?:ID|TOKEN)|_SALT$|_SEED$/

/** Matches URLs with a password, and keys in the formats of well-known services. */
const SECRET_VALUE =
  /:\/\/[^/\s:@]*:[^/\s@]+@|^(?:sk-|sk_|pk_|rk_|gh[opsu]_|github_pat_|glpat-|xox[a-z]-|AKIA|ASIA|AIza|ya29\.|npm_|pypi-|hf_|SG\.|eyJ[\w-]+\.)|-----BEGIN/

/** Matches variables of this program, of git and of desktop sessions whose names only look like those of secrets. */
const HARMLESS_NAME = /^(?:GIT_CONFIG_KEY_\d+|HAFT_MARK|SSH_AUTH_SOCK|XAUTHORITY|XDG_SESSION_ID|KEYBOARD\w*|KEYMAP)$/

/** Whether an environment variable seems to hold a secret. Secrets with unusual names and values are missed. */
export function isSecretVariable(name: string, value: string): boolean {
  return !HARMLESS_NAME.test(name) && (SECRET_NAME.test(name.toUpperCase()) || SECRET_VALUE.test(value))
}

export interface SecretSelection {
  /** Names that count as secrets whatever they look like, such as the variables with model keys. */
  readonly hiddenNames?: readonly string[] | undefined
  /** Names that pass although they look like secrets. `*` matches any text, as in `AWS_*`. */
  readonly passedNames?: readonly string[] | undefined
}

/** Returns the variables without secrets, for programs whose output the model may read. */
export function removeSecretVariables(
  variables: Variables,
  { hiddenNames = [], passedNames = [] }: SecretSelection,
): Variables {
  const isPassed = createNameTest(passedNames)
  const isHidden = (name: string, value: string) => hiddenNames.includes(name) || isSecretVariable(name, value)
  return Object.fromEntries(
    Object.entries(variables).filter(
      ([name, value]) => value === undefined || isPassed(name) || !isHidden(name, value),
    ),
  )
}

function createNameTest(patterns: readonly string[]): (name: string) => boolean {
  const tests = patterns.map((pattern) => {
    const literals = pattern.split('*').map((literal) => literal.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'))
    return new RegExp(`^${literals.join('.*')}$`)
  })
  return (name) => tests.some((test) => test.test(name))
}
