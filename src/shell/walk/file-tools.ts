import type { PossibleEffects } from '../../contract/command.js'
import { baseNameOf } from './possible-programs.js'

const toSet = (names: string): ReadonlySet<string> => new Set(names.split(' '))

/**
 * Programs that are assumed to write no files but those that their words name or that a project configures: they do not copy,
 * rename, decode or unpack files that the command line chooses.
 */
const OWN_FILES_ONLY = toSet(
  [
    'node nodejs deno python python3 ruby php java ts-node tsx rimraf del-cli del premove mkdirp nvm nvs fnm volta corepack',
    'gh glab docker docker-compose podman kubectl helm terraform aws gcloud az systemctl service brew apt apt-get pip pip3',
    'npm pnpm yarn bun npx pnpx bunx cargo go dotnet rustup bundle composer poetry uv pipenv mix sudo env time nice',
    'auto-changelog standard-version changelogen changeset semantic-release husky lint-staged patch-package concurrently',
    'kill pkill killall sleep open xdg-open evalmd doctoc codecov coveralls opener serve http-server istanbul jshint nodemon',
    'export set shopt alias unalias declare typeset local readonly unset ulimit umask trap wait jobs fg bg disown ssh-add ssh',
    'cmake parcel vuepress vitepress storybook next nuxt astro remix gatsby ng expo react-native wasm-pack semistandard mocha-phantomjs',
    'rails bin/rails rake django-admin flask gunicorn uvicorn celery alembic sphinx-build mkdocs pre-commit prisma knex sequelize',
  ].join(' '),
)

/** Words with which one of these programs writes other files after all. */
const FILE_WRITING_WORDS: Readonly<Record<string, RegExp>> = {
  npm: /^(?:pkg|set-script|set|config|c|pack|exec|x|explore|edit)$/,
  pnpm: /^(?:pkg|set-script|set|config|c|pack|exec|dlx|patch|patch-commit)$/,
  yarn: /^(?:pkg|set-script|set|config|pack|exec|dlx|node)$/,
  docker: /^(?:cp|export|save|buildx|run|exec)$/,
  podman: /^(?:cp|export|save|run|exec)$/,
  kubectl: /^(?:cp|exec|run|debug)$/,
  gh: /^(?:download|checkout|archive|extension|api)$/,
  aws: /^(?:s3|s3api)$/,
  gcloud: /^(?:storage|scp)$/,
  go: /^(?:tool|generate)$/,
  cmake: /^-[EP]$|^--install/,
}

/** Modules of Python that unpack, decode or copy nothing. */
const PYTHON_MODULES =
  /^(?:pip|venv|virtualenv|ensurepip|pytest|unittest|build|mypy|black|ruff|flake8|isort|pylint|coverage|http\.server|json\.tool|django|flask|uvicorn|compileall|py_compile)$/

/** Subcommands of git that bring the working tree only to a state that the repository has, or do not change it. */
const GIT_STATES = toSet(
  'add branch checkout cherry-pick clean clone commit fetch gc init log maintenance merge notes pull push rebase reflog remote reset revert rm stash status submodule switch tag worktree',
)

/** Programs that unpack, decode, convert, copy or link files, whatever their operands are called. */
const FILE_TOOL =
  /^(?:(?:.*-)?ar|(?:.*-)?as|(?:.*-)?ld(?:\..*)?|(?:.*-)?gcc.*|(?:.*-)?g\+\+.*|cc|c\+\+|c[89]9.*|clang.*|cpp.*|rustc|javac|jar|jmod|jimage|jlink|jpackage|tar|[a-z]*tar|cpio|pax|[a-z]*zip[a-z0-9]*|7z.*|[a-z]*rar|unar|p?zstd.*|unzstd|lz.*|unlz.*|xz|unxz|z(?:cat|new|force)|compress|uncompress|bunzip2|bz.*|dpkg.*|rpm.*|cabextract|unsquashfs|unshar|shar|uudecode|munpack|dtrx|atool|aunpack|patool|install|rsync|scp|sftp|lftp|ftp|rclone|wget|curl|aria2c|cpack|patch|rename.*|mmv|prename|vidir|vipe|shx|cpx|cpx2|cpy|cpy-cli|ncp|degit|tiged|giget|copyfiles|replace|rpl|sd|objcopy|elfedit|strip|split.*|csplit|savelog|ucf|openssl|ssh-keygen|keytool|gpg.*|iconv|piconv|uconv|recode|tic|msg.*|xgettext|localedef|sqlite3|psql|ed|ex|vi|vim.*|nvim|emacs|m4|flex|bison|yacc|lex|rpcgen|pandoc|ffmpeg|convert|magick|busybox|toybox|perl.*|h2xs|h2ph|xmlstarlet|yq|tomlq|xq.*|sponge|dd|ln|link|cp|mv|tee)$/

/** A word that names a file with a suffix or a build file, or an option that names the output. */
const FILE_WORD = /[^./]\.[A-Za-z]\w*$|file$|^-[oO]|^--out/i

/**
 * Whether a command that no table describes may put content that the command line chooses into files with other names: a later
 * command may run it, and a rule for such a name may concern it.
 */
function mayWriteOtherNames([program = '', ...args]: readonly string[], isProjectTool: boolean): boolean {
  const name = baseNameOf(program)
  if (name === 'git') return writesOtherStates(args)
  if (isProjectTool) return false
  const launched = findLaunched(name, args)
  if (launched !== undefined) return mayWriteOtherNames(launched, false)
  if (OWN_FILES_ONLY.has(name)) {
    if (/^python3?$/.test(name)) return runsFileModule(args)
    return args.some((text) => FILE_WRITING_WORDS[name]?.test(text) === true)
  }
  // A program of the project is not judged by what it does inside, unless it is given files.
  return FILE_TOOL.test(name) || args.some((text) => FILE_WORD.test(text))
}

/** Returns the words of the program that a launcher runs: `npx shx cp a b`, `yarn shx cp a b`. */
function findLaunched(name: string, args: readonly string[]): readonly string[] | undefined {
  const at = args.findIndex((text) => !text.startsWith('-') && !/^(?:exec|x|dlx)$/.test(text))
  const isLauncher =
    /^(?:npx|pnpx|bunx|uvx)$/.test(name) || (/^(?:yarn|pnpm|npm|bun)$/.test(name) && isUnlistedVerb(args))
  return isLauncher && at !== -1 ? args.slice(at) : undefined
}

const PACKAGE_VERB =
  /^(?:add|audit|bin|build|cache|c|ci|clean|config|create|dedupe|dev|i|info|init|install|link|lint|list|login|logout|ls|outdated|pack|patch|pkg|prune|publish|rebuild|remove|restart|rm|run|set|start|stop|test|t|unlink|uninstall|update|up|upgrade|version|view|why|workspace|workspaces)$/

/** Whether the subcommand may be a program of the project, or runs one. */
function isUnlistedVerb(args: readonly string[]): boolean {
  const verb = args.find((text) => !text.startsWith('-'))
  return verb !== undefined && !PACKAGE_VERB.test(verb)
}

function writesOtherStates(args: readonly string[]): boolean {
  const verbAt = args.findIndex((text) => GIT_STATES.has(text))
  if (verbAt === -1 || args.some((text) => /^(?:--|-p|--patch|--pathspec.*)$/.test(text))) return true
  // `git checkout COMMIT FILE` brings back an old version of one file.
  const operands = args.slice(verbAt + 1).filter((text) => !text.startsWith('-'))
  return args[verbAt] === 'checkout' && operands.length > 1 && !args.some((text) => /^-[bB]$/.test(text))
}

function runsFileModule(args: readonly string[]): boolean {
  const at = args.findIndex((text) => /^-[A-Za-z]*m/.test(text))
  if (at === -1) return false
  const module = (args[at] ?? '').replace(/^-[A-Za-z]*?m/, '') || (args[at + 1] ?? '')
  return !PYTHON_MODULES.test(module)
}

/** Marks the effects of a command that may write files with other names. */
export function preparesFiles(
  words: readonly string[],
  { projectTool, onlyReads, runsAnything }: Pick<PossibleEffects, 'projectTool' | 'onlyReads' | 'runsAnything'>,
): true | undefined {
  if (onlyReads === true) return undefined
  return runsAnything === true || mayWriteOtherNames(words, projectTool !== undefined) ? true : undefined
}
