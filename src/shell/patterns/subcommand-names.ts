/** The subcommands of each program, with their other names, separated by blanks. */
const SUBCOMMAND_ALIASES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  npm: {
    install: 'i in ins inst insta instal isnt isnta isntal isntall add',
    'install-test': 'it',
    'install-ci-test': 'cit clean-install-test sit',
    ci: 'clean-install ic install-clean isntall-clean',
    run: 'run-script rum urn',
    test: 't tst',
    uninstall: 'un unlink remove rm r',
    update: 'u up upgrade udpate',
    exec: 'x',
    init: 'create innit',
    view: 'v info show',
    list: 'ls la ll',
    link: 'ln',
    search: 's se find',
    dedupe: 'ddp',
    config: 'c',
    login: 'adduser add-user',
    owner: 'author',
    access: '',
    publish: '',
    unpublish: '',
    version: 'verison',
    start: '',
    stop: '',
    restart: '',
    deprecate: '',
    prune: '',
    pack: '',
    token: '',
    audit: '',
    rebuild: 'rb',
    'dist-tag': 'dist-tags',
  },
  pnpm: { install: 'i', remove: 'rm uninstall un', run: 'run-script', update: 'up upgrade', test: 't', list: 'ls' },
  yarn: { upgrade: 'up' },
  bun: { install: 'i', remove: 'rm', add: 'a' },
  cargo: { build: 'b', check: 'c', doc: 'd', run: 'r', test: 't', remove: 'rm' },
  brew: { uninstall: 'rm remove', install: 'instal' },
  git: { add: 'stage', init: 'init-db', blame: 'annotate', remove: 'rm' },
  gh: { create: 'new', list: 'ls' },
  docker: { rmi: 'rm remove', rm: 'remove' },
  hg: { push: '', pull: '', update: 'up checkout co', commit: 'ci', remove: 'rm' },
  ip: { link: '', address: '', route: '', neighbour: '', delete: '', add: '', set: '' },
}

/** Programs that also accept the start of a subcommand's name. */
const ABBREVIATING_PROGRAMS: ReadonlySet<string> = new Set(['npm', 'hg', 'ip'])

/** Whether a word of a command means the subcommand that a rule names. */
export function meansSubcommand(program: string, subcommand: string, word: string): boolean {
  if (program === 'ssh')
    return word
      .toLowerCase()
      .split(/[@:/]+/)
      .includes(subcommand.toLowerCase())
  const names = SUBCOMMAND_ALIASES[program]
  if (names === undefined || word === '') return false
  return listCanonicalNames(program, names, word).some((name) =>
    listCanonicalNames(program, names, subcommand).includes(name),
  )
}

function listCanonicalNames(program: string, names: Readonly<Record<string, string>>, word: string): readonly string[] {
  const exactEntry = Object.entries(names).find(([name, others]) => name === word || others.split(' ').includes(word))
  if (exactEntry !== undefined) return [exactEntry[0]]
  if (!ABBREVIATING_PROGRAMS.has(program)) return [word]
  const startsWithWord = (name: string) => name.startsWith(word)
  return Object.entries(names).flatMap(([name, others]) =>
    startsWithWord(name) || others.split(' ').some(startsWithWord) ? [name] : [],
  )
}
