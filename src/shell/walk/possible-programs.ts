import { hasGitMessage, hasMessages, isMessage, isMessageOption } from '../words/message-options.js'
import type { ShellWord } from '../words/shell-word.js'

const toSet = (names: string): ReadonlySet<string> => new Set(names.split(' '))

/** Programs that can run their arguments or their input as code. */
const RUNS_TEXT = toSet(
  [
    'python python2 python3 pypy pypy3 ipython node nodejs deno bun ts-node tsx perl ruby irb php lua luajit tclsh wish expect',
    'osascript pwsh powershell cmd r rscript julia groovy scala ocaml ghc runghc ghci elixir iex erl clojure guile racket',
    'vim vi view nvim ex ed emacs make gmake bmake just task ninja cmake m4 gnuplot gdb lldb sqlite3 psql mysql mariadb bc dc',
    'awk gawk mawk nawk original-awk sed gsed jq zsh ksh mksh fish csh tcsh bash sh dash ash rbash busybox',
    'ssh su script watch parallel xargs at batch tmux screen sem entr expect socat ftp sftp lftp wsl',
  ].join(' '),
)

export function runsText(program: string): boolean {
  return RUNS_TEXT.has(program) || /^(?:python|perl|ruby|lua|php|node)[0-9.]+$/.test(program)
}

/** Programs whose first operand is a subcommand, never a program to run. */
const PROGRAMS_WITH_SUBCOMMANDS = toSet(
  [
    'git docker podman nerdctl buildah docker-compose npm pnpm yarn bun cargo gh glab kubectl helm aws gcloud az conda mamba',
    'pip pip3 uv poetry pipenv pdm hatch rye brew apt apt-get dnf yum gem bundle go dotnet rustup terraform systemctl flatpak',
    'snap composer mix deno hg svn jj nix mise asdf direnv op doppler dvc heroku vercel netlify fly make just task nx turbo',
  ].join(' '),
)

/** Subcommands whose operands are names and texts, never programs to run. */
const NAME_ONLY_COMMANDS: readonly { readonly programs: ReadonlySet<string>; readonly verbs: ReadonlySet<string> }[] = [
  {
    programs: toSet('git'),
    verbs: toSet(
      'add branch checkout cherry-pick commit diff init log merge mv reset restore revert rm show stash status switch tag',
    ),
  },
  {
    programs: toSet('npm pnpm yarn bun'),
    verbs: toSet('add audit ci i info install link list ls outdated prune remove rm search uninstall update view why'),
  },
  {
    programs: toSet('pip pip3 brew apt apt-get dnf yum gem cargo conda composer go'),
    verbs: toSet(
      'add build check clippy doc fmt get info install list purge remove search show test uninstall update upgrade vet',
    ),
  },
  { programs: toSet('gh glab'), verbs: toSet('issue label mr pr release repo search') },
  {
    programs: toSet('docker podman nerdctl kubectl helm'),
    verbs: toSet('describe get images inspect kill logs ps pull push rm rmi start stop tag'),
  },
]

/** Whether the operands of a subcommand are names and texts, so that only values of options may name a program. */
export function hasOnlyNames(program: string, verb: string): boolean {
  return NAME_ONLY_COMMANDS.some(({ programs, verbs }) => programs.has(program) && verbs.has(verb))
}

/** Returns the index in the command's words, counted from the program, of the first word that may name a program to run. */
export function findFirstProgramIndex(program: string, verb: string, subcommandAt: number | undefined): number {
  // With only names, the values of options before the subcommand may still name a program.
  if (hasOnlyNames(program, verb)) return 1
  // The value of an option before the subcommand may look like the subcommand.
  return PROGRAMS_WITH_SUBCOMMANDS.has(program) && subcommandAt === 0 ? 2 : 1
}

/** Returns the arguments without messages and titles, which are neither files nor programs. */
export function withoutTexts(program: string, args: readonly ShellWord[]): readonly ShellWord[] {
  if (!hasMessages(program)) return args
  const verb = findVerb(args)
  if (program === 'git' && !hasGitMessage(verb)) return args
  return args.filter(
    ({ text }, index) =>
      !isMessageOption(program, text) && !isMessage(program, text, args[index - 1]?.text ?? '', verb),
  )
}

/** Returns the first argument that is neither an option nor the value of a short option. */
function findVerb(args: readonly ShellWord[]): string {
  return args.find((word, at) => isOperand(word) && !/^-[A-Za-z]$/.test(args[at - 1]?.text ?? ''))?.text ?? ''
}

/** Git subcommands that write no file of the working folder, whatever their options. */
const NON_WRITING_SUBCOMMANDS = toSet('add commit push stage')

/** Options of the subcommands above that name neither a file nor a program. */
const HARMLESS_GIT_OPTION =
  /^(?:-[AaufqvsnpNdeS]+|--(?:all|update|force|force-with-lease|force-if-includes|quiet|verbose|signoff|no-verify|patch|amend|no-edit|allow-empty|allow-empty-message|dry-run|tags|delete|follow-tags|set-upstream|no-gpg-sign|intent-to-add|atomic|prune|porcelain|only|include|reset-author|no-all|ignore-removal|renormalize)|--)$/

/**
 * Whether the command only reads the files that it names. Settings and unlisted options are refused, because their values may
 * name files to write.
 */
export function readsOnly(program: string, args: readonly ShellWord[], settings: readonly ShellWord[]): boolean {
  if (program !== 'git' || settings.length > 0 || !NON_WRITING_SUBCOMMANDS.has(args[0]?.text ?? '')) return false
  return withoutTexts(program, args).every((word) => isOperand(word) || HARMLESS_GIT_OPTION.test(word.text))
}

export function isOperand({ text }: ShellWord): boolean {
  return !text.startsWith('-')
}

/** Returns the index of the first argument that is not an option. */
export function findFirstOperand(args: readonly ShellWord[]): number | undefined {
  const index = args.findIndex(isOperand)
  return index === -1 ? undefined : index
}

/** Returns the base name of a program in lower case. */
export function baseNameOf(text: string): string {
  return (text.includes('/') ? text.slice(text.lastIndexOf('/') + 1) : text).toLowerCase()
}

const SYSTEM_FOLDER = /^\/(?:usr\/(?:local\/)?)?s?bin\/([^/]+)$/

/** Returns the name of a program that is found through PATH or in a system folder; undefined for any other path. */
export function systemProgramNameOf(text: string): string | undefined {
  return text.includes('/') ? SYSTEM_FOLDER.exec(text)?.[1] : text
}
