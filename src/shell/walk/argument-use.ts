import { findSpec } from '../families/index.js'
import { familyOf } from '../patterns/option-names.js'
import type { CommandEffects, InnerCommand } from '../programs/effects.js'
import { splitPlainWords } from '../words/plain-words.js'
import { isKnown, type ShellWord, toKnownWord } from '../words/shell-word.js'

const toSet = (names: string): ReadonlySet<string> => new Set(names.split(' '))

/** How a program that no table describes uses its arguments. */
export type ArgumentUse =
  /** None of them is run, whatever it contains. */
  | 'data'
  /** Operands are names, such as targets; the values of options and variables may be programs. */
  | 'names'
  /** Each may be a program or a script. */
  | 'commands'

interface DataProgram {
  /** The subcommands that run none of their arguments; all if left out. */
  readonly verbs?: ReadonlySet<string>
  /** Words with which the program may run an argument after all. */
  readonly runs?: RegExp
}

const ANY_USE: DataProgram = {}

/** Programs that run none of their arguments. What they are configured to run is not judged. */
const DATA_PROGRAMS: ReadonlyMap<string, DataProgram> = new Map<string, DataProgram>([
  ...'pytest py.test rspec phpunit black ruff mypy flake8 pylint isort pyright rubocop tsc gofmt rustfmt shellcheck'
    .split(' ')
    .map((name): [string, DataProgram] => [name, ANY_USE]),
  ...'jest vitest mocha ava playwright cypress eslint prettier biome stylelint'
    .split(' ')
    .map((name): [string, DataProgram] => [
      name,
      { runs: /^-[cr]$|^--(?:config|require|import|loader|plugin|global|setup|runner|resolve|exec|open|codegen)/ },
    ]),
  ...'tar zip unzip gzip gunzip 7z scp rsync'.split(' ').map((name): [string, DataProgram] => [
    name,
    // Clusters such as `-TT` and `-az` are compared by letter, because these programs run the values of these options.
    { runs: /^-(?!-)[A-Za-z]*[TIFeSo]|^--(?:use|to|info|checkpoint|new-volume|rsh|rmt|rsync-path|unzip)/ },
  ]),
  ['curl', ANY_USE],
  ['wget', { runs: /^--use-askpass|^-e|^--execute|^--config/ }],
  ['http', ANY_USE],
  ['https', ANY_USE],
  ['pip', { runs: /^--python|^--global-option|^--config-settings|^-C/ }],
  ['pip3', { runs: /^--python|^--global-option|^--config-settings|^-C/ }],
  [
    'cargo',
    {
      verbs: toSet(
        'build b check c clippy doc d fmt test t bench run r add remove rm update install clean tree metadata new',
      ),
      runs: /^--config|^-Z/,
    },
  ],
  [
    'go',
    {
      verbs: toSet('build test vet run mod get install fmt list doc version work clean'),
      runs: /^--?(?:exec|toolexec|vettool|overlay|modfile)|extld/,
    },
  ],
  ['dotnet', { verbs: toSet('build test restore clean publish pack list') }],
  ['terraform', { verbs: toSet('plan apply init validate fmt output show state import destroy') }],
  [
    'kubectl',
    {
      verbs: toSet(
        'get describe logs apply delete scale rollout config cluster-info explain label annotate top version wait patch',
      ),
    },
  ],
  [
    'docker',
    {
      verbs: toSet(
        'ps images logs inspect pull push tag stop start restart kill rm rmi build login network volume system info version',
      ),
    },
  ],
  [
    'gh',
    {
      verbs: toSet('issue label pr release repo search api run workflow auth status gist secret variable'),
      runs: /^--$/,
    },
  ],
  ['aws', { runs: /^(?:configure|ssm|execute-command|send-command|ssh)$|^--cli-/ }],
])

/** Programs whose operands are targets or tasks. */
const PROGRAMS_WITH_TARGETS = toSet('make gmake bmake ninja rake gulp grunt ant mvn gradle')

/** Subcommands of npm that run a script of the project. The words after its name are its arguments, which npm quotes. */
const RUNS_PROJECT_SCRIPT = toSet('run run-script test t start stop restart')
/** `npm run env` runs its arguments, and these options change how scripts run. */
const SCRIPT_CHANGING_OPTION = /^env$|^-c$|^--(?:call|shell|script-s|node-opt|userconf|globalconf)/

/** Returns how a program uses its arguments. `verb` is its subcommand, if any. */
export function useOfArguments(program: string, verb: string, args: readonly ShellWord[]): ArgumentUse {
  if (PROGRAMS_WITH_TARGETS.has(program)) return 'names'
  if ((program === 'npm' || program === 'pnpm') && RUNS_PROJECT_SCRIPT.has(verb))
    return args.some(({ text }) => SCRIPT_CHANGING_OPTION.test(text)) ? 'commands' : 'data'
  const use = DATA_PROGRAMS.get(program)
  if (use === undefined || (use.verbs !== undefined && !use.verbs.has(verb))) return 'commands'
  return use.runs !== undefined && args.some(({ text }) => use.runs?.test(text) === true) ? 'commands' : 'data'
}

/** Programs that treat their input as data, or only read answers to questions from it. */
const READS_DATA = toSet(
  [
    'git gh glab curl wget http docker podman kubectl helm terraform aws npm pnpm yarn pip pip3 apt apt-get brew cargo go',
    'patch tar cpio pax zip unzip gzip gunzip zstd xz bzip2 openssl gpg base64 tee pbcopy xclip xsel wl-copy less more',
    'prettier eslint black ruff isort gofmt goimports rustfmt shfmt clang-format pytest jest vitest mocha tsc bat column',
    'make cp mv dd split install fzf ssh-keygen ssh-add md5sum sha256sum pandoc jq yq xq rg grep tap-spec tap-dot faucet snazzy coveralls pino-pretty nc',
  ].join(' '),
)

/** Whether a program runs nothing that it reads from its input. */
export function readsInputAsData(program: string, args: readonly ShellWord[]): boolean {
  return READS_DATA.has(program) && !args.some(({ text }) => INPUT_RUNNING_WORDS[program]?.test(text) === true)
}

/** Subcommands that run another program, which gets the input. */
const CONTAINER_RUN_SUBCOMMAND = /^(?:run|exec|attach|start|unshare|debug|node|shell|compose)$/
/** Words with which a program runs its input, or another program that gets it. */
const INPUT_RUNNING_WORDS: Readonly<Record<string, RegExp>> = {
  docker: CONTAINER_RUN_SUBCOMMAND,
  podman: CONTAINER_RUN_SUBCOMMAND,
  kubectl: CONTAINER_RUN_SUBCOMMAND,
  yarn: CONTAINER_RUN_SUBCOMMAND,
  // Without a program, they start a shell.
  npm: /^(?:exec|x|explore)$/,
  pnpm: /^(?:exec|dlx)$/,
  // A debugger.
  pytest: /^--(?:trace|pdb)/,
  git: /^(?:fast-import|shell|daemon)$/,
}

/** Whether no shell and no other language would need the characters of a word to build a name: a name, an address, a sentence. */
function isPlainWord(text: string): boolean {
  return /^[\p{L}\p{N}\p{M}_ ./@%+,:=~-]*$/u.test(text)
}

/** A pattern for files with a suffix, such as `src/**\/*.{js,ts}`. Rules compare their program with such a pattern. */
const FILE_PATTERN = /^!?[\w./@*?{},-]*\.[\w*?{},]+$/

/** Programs that run other text. At the start of a script they may run anything. */
const RUNS_OTHER_TEXT =
  /^(?:.*[/=])?(?:\.|source|eval|exec|xargs|env|command|nice|sudo|(?:[a-z]*sh|python|pypy|node|perl|ruby|php|lua|deno|bun)[\d.]*)$/

/** Whether a word may be a script that runs programs which it does not name. */
export function mayBeScript(text: string): boolean {
  if (!isPlainWord(text)) return !FILE_PATTERN.test(text)
  const option = text.slice(text.search(/[^-]/) === 0 ? 0 : text.indexOf('=') + 1).trim()
  const value = option.replace(/^(?:[A-Za-z_]\w*=\S* +)+/, '')
  const blankIndex = value.indexOf(' ')
  return blankIndex > 0 && RUNS_OTHER_TEXT.test(value.slice(0, blankIndex))
}

/** Returns the index in the arguments of the program that a launcher such as `npx` or `poetry run` starts. */
export function findLaunchedIndex(program: string, args: readonly ShellWord[]): number | undefined {
  const verb = LAUNCHING_VERBS[program]
  if (verb === undefined) return undefined
  const isFlag = (at: number) =>
    /^(?:-[yq]|--yes|--quiet|--silent|--|--no-install|--frozen|--no-sync)$/.test(args[at]?.text ?? '')
  let at = 0
  while (isFlag(at)) at += 1
  if (verb !== '') {
    if (!verb.split(' ').includes(args[at]?.text ?? '')) return undefined
    at += 1
    while (isFlag(at)) at += 1
  }
  return /^[\w.@/][\w.@/+-]*$/.test(args[at]?.text ?? '') ? at : undefined
}

const LAUNCHING_VERBS: Readonly<Record<string, string>> = {
  npx: '',
  bunx: '',
  uvx: '',
  npm: 'exec x',
  pnpm: 'exec dlx',
  yarn: 'exec dlx run',
  poetry: 'run',
  pipenv: 'run',
  pdm: 'run',
  hatch: 'run',
  rye: 'run',
  uv: 'run',
  bundle: 'exec',
  mise: 'exec x',
}

/** Programs whose arguments are code or have values attached, so that their words must be judged by the program's own table. */
const JUDGED_BY_TABLE = toSet('sed awk perl python ruby php lua node tar sort curl wget grep env timeout xargs')
/** Programs that run their arguments on another machine. */
const RUNS_ELSEWHERE = toSet('docker podman nerdctl kubectl oc ssh adb vagrant')

/** Launchers whose tables describe only a part of their uses. */
const PARTLY_DESCRIBED = toSet('npm cmake choom')

/** Returns the commands that a launcher may run: the words from one that names a program, and the words of a script. */
export function listLaunchedCommands(
  [program, ...args]: readonly ShellWord[],
  { isComplete }: CommandEffects,
): readonly InnerCommand[] {
  if (isComplete) return []
  const name = program?.text.slice(program.text.lastIndexOf('/') + 1) ?? ''
  const isDescribed = !PARTLY_DESCRIBED.has(name) && findSpec(name) !== undefined
  if (isDescribed || namesJudgedProgram(name) || RUNS_ELSEWHERE.has(name)) return []
  if (useOfArguments(name, args[0]?.text ?? '', args) !== 'commands') return []
  return args.flatMap((word, at) => {
    const words = /\s/.test(word.text) ? scriptWordsOf(word) : args.slice(at)
    if (words.length < 2 || !namesJudgedProgram(words[0]?.text ?? '')) return []
    return [{ kind: 'command', words, assignments: [], isTransparent: false }]
  })
}

function namesJudgedProgram(text: string): boolean {
  return JUDGED_BY_TABLE.has(familyOf(text.slice(text.lastIndexOf('/') + 1)))
}

/** Returns the words of a script that is one plain command. Any other script is not judged by tables. */
function scriptWordsOf(word: ShellWord): readonly ShellWord[] {
  return isKnown(word) ? (splitPlainWords(word.text) ?? []).map(toKnownWord) : []
}
