import type { OrdinaryProgram, OrdinaryUse } from './use.js'
import { createEntries } from './use.js'

const COMMON_FLAGS =
  '--silent -s --quiet -q --verbose --no-audit --no-fund --audit --prefer-offline --offline --no-progress --color --no-color ' +
  '--if-present --workspaces -ws --include-workspace-root'
const COMMON_VALUES = '-w --workspace --loglevel --registry'
const COMMON_CONFIGS = '--prefix'
const INSTALL_FLAGS =
  '-g --global -D --save-dev -S --save -P --save-prod -E --save-exact -O --save-optional --no-save --legacy-peer-deps --force ' +
  '-f --ignore-scripts --production --no-package-lock --package-lock-only --no-optional --strict-peer-deps --frozen-lockfile ' +
  '--no-frozen-lockfile --immutable --dev -d --exact --peer -W --ignore-workspace-root-check --ignore-engines --non-interactive --check'

const SCRIPT: OrdinaryUse = {
  flags: COMMON_FLAGS,
  values: COMMON_VALUES,
  configs: COMMON_CONFIGS,
  operands: 'scriptName',
}
/** The use of scripts of pnpm, yarn and bun, which get the options after their name. */
const SCRIPT_WITH_OPTIONS: OrdinaryUse = { ...SCRIPT, passesOptions: true }
/** The files that commands write when they change dependencies. */
const MANIFESTS = 'package.json package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb'
const INSTALL: OrdinaryUse = {
  flags: `${COMMON_FLAGS} ${INSTALL_FLAGS}`,
  values: `${COMMON_VALUES} --omit --include --filter`,
  configs: `${COMMON_CONFIGS} -C --dir`,
  files: MANIFESTS,
}
const QUERY: OrdinaryUse = {
  flags: `${COMMON_FLAGS} -g --global --json --long --all -a --prod --production --dev`,
  values: `${COMMON_VALUES} --depth --audit-level`,
  configs: COMMON_CONFIGS,
}
const LAUNCHER: OrdinaryUse = { flags: '-y --yes --no-install --no --quiet -q', operands: 'command' }
const NO_OPERANDS = { operands: 'none' } as const

const PUBLISH: OrdinaryUse = {
  flags: `${COMMON_FLAGS} --dry-run --json --provenance --no-git-checks --ignore-scripts`,
  values: `${COMMON_VALUES} --access --tag --otp`,
  configs: COMMON_CONFIGS,
  folders: 'whole',
  usesWorkingFolder: true,
}
const VERSION: OrdinaryUse = {
  flags: `${COMMON_FLAGS} --no-git-tag-version --force`,
  values: '--preid',
  texts: '-m --message',
  starts: 'git commit, git tag, git add',
  files: MANIFESTS,
}

/** Names of scripts that `pnpm` and `yarn` accept as subcommands, as in `pnpm build`. Other names may be programs. */
const SCRIPT_NAMES = createEntries<OrdinaryUse>(
  'build test lint dev start format fmt check typecheck clean docs watch coverage bench benchmark prepare preview serve compile ' +
    'types ci verify validate e2e unit integration generate codegen bundle dist demo example examples transpile ' +
    'release ready size site website storybook typings fix changelog cover cov all tests spec specs prettier type-check type-checks',
  { ...SCRIPT, operands: 'arguments' },
)

const npm: OrdinaryProgram = {
  options: { flags: COMMON_FLAGS, values: COMMON_VALUES, configs: COMMON_CONFIGS },
  subcommands: {
    ...createEntries('run run-script', SCRIPT),
    ...createEntries<OrdinaryUse>('test t tst start stop restart', {
      ...SCRIPT,
      operands: 'any',
      passesOperands: true,
    }),
    ...createEntries(
      'install i in add ci clean-install install-test it uninstall remove rm un update up upgrade dedupe link ln',
      INSTALL,
    ),
    ...createEntries('prune rebuild', INSTALL),
    ...createEntries(
      'outdated ls list ll view info show audit fund why explain search root prefix bin ping whoami',
      QUERY,
    ),
    'audit,fix': { flags: `${COMMON_FLAGS} --force`, ...NO_OPERANDS, starts: 'npm install', files: MANIFESTS },
    ...createEntries('pack publish pub', PUBLISH),
    version: VERSION,
    init: { flags: '-y --yes', ...NO_OPERANDS, files: MANIFESTS },
    ...createEntries('exec x', LAUNCHER),
    create: { flags: '-y --yes', changesFiles: true, folders: 'whole', usesWorkingFolder: true },
  },
}

const RECURSION_FLAGS =
  '-r --recursive -w --workspace-root --parallel --stream --aggregate-output --no-bail -s --silent'
const pnpmScript: OrdinaryUse = {
  ...SCRIPT_WITH_OPTIONS,
  flags: `${COMMON_FLAGS} ${RECURSION_FLAGS}`,
  values: `${COMMON_VALUES} --filter -F`,
  configs: `${COMMON_CONFIGS} -C --dir`,
}

const pnpm: OrdinaryProgram = {
  options: { flags: RECURSION_FLAGS, values: '--filter -F', configs: '-C --dir' },
  subcommands: {
    ...SCRIPT_NAMES,
    ...createEntries('run run-script', pnpmScript),
    ...createEntries<OrdinaryUse>('test t start stop restart', { ...pnpmScript, operands: 'arguments' }),
    ...createEntries('install i add remove rm uninstall un update up upgrade dedupe prune rebuild link', INSTALL),
    ...createEntries('outdated ls list why audit licenses', QUERY),
    ...createEntries('pack publish', { ...PUBLISH, starts: 'npm publish, npm pack' }),
    ...createEntries('exec dlx', { operands: 'command' }),
  },
}

const yarn: OrdinaryProgram = {
  options: { flags: '-s --silent', configs: '--cwd' },
  subcommands: {
    ...SCRIPT_NAMES,
    '': { flags: INSTALL_FLAGS, ...NO_OPERANDS, files: MANIFESTS },
    run: SCRIPT_WITH_OPTIONS,
    ...createEntries<OrdinaryUse>('test start', { ...SCRIPT, operands: 'arguments' }),
    ...createEntries('install add remove upgrade up link', INSTALL),
    ...createEntries('outdated list why info audit licenses', QUERY),
    ...createEntries('pack publish', {
      ...PUBLISH,
      values: `${COMMON_VALUES} --access --tag --otp --new-version`,
      starts: 'git commit, git tag, git add',
    }),
    version: VERSION,
    ...createEntries('exec dlx', { operands: 'command' }),
  },
}

const bun: OrdinaryProgram = {
  subcommands: {
    // `bun run` also runs programs, so the name is compared with rules.
    run: { ...SCRIPT, operands: 'arguments' },
    test: { flags: '--watch --bail --coverage', values: '-t --timeout' },
    ...createEntries('install i add remove rm update', INSTALL),
    build: { flags: '--minify --watch', values: '--outdir --outfile --target' },
    x: { operands: 'command' },
  },
}

const PIP_INSTALL: OrdinaryUse = {
  flags:
    '-U --upgrade -q --quiet -v --verbose --user --pre --no-deps --no-cache-dir -y --yes --break-system-packages ' +
    '--force-reinstall --disable-pip-version-check --no-input',
  values: '-e --editable -r --requirement -c --constraint -i --index-url --extra-index-url',
}
const pip: OrdinaryProgram = {
  options: { flags: '-q --quiet -v --verbose --no-cache-dir --disable-pip-version-check' },
  subcommands: {
    ...createEntries('install uninstall', PIP_INSTALL),
    ...createEntries('list show freeze check', { flags: '-o --outdated --format -q --quiet' }),
  },
}

const apt: OrdinaryProgram = {
  options: { flags: '-y --yes -q -qq --quiet' },
  subcommands: createEntries('update install upgrade remove autoremove list search show', {
    flags: '-y --yes -q -qq --quiet --no-install-recommends --no-install-suggests --fix-missing -f --installed',
  }),
}

const brew: OrdinaryProgram = {
  subcommands: createEntries('install uninstall update upgrade list info search tap', {
    flags: '-q --quiet --cask -v --verbose',
  }),
}

/** Returns the uses of programs that install packages and run the scripts of a project. */
export const createPackageManagers = (): Readonly<Record<string, OrdinaryProgram>> => ({
  npm,
  pnpm,
  yarn,
  bun,
  ...createEntries('pip pip3', pip),
  ...createEntries('apt apt-get', apt),
  brew,
  nvm: { subcommands: createEntries('install use ls current', {}) },
  corepack: { subcommands: createEntries('enable disable', {}) },
  uv: {
    subcommands: { sync: { flags: '--frozen --locked --all-extras --dev --no-dev' }, run: { operands: 'command' } },
  },
  poetry: {
    subcommands: {
      run: { operands: 'command' },
      install: { flags: '--no-root --sync -q', values: '--with --without --only -E --extras' },
      ...createEntries('add remove update lock show build', {
        flags: '-D --dev -q',
        files: 'pyproject.toml poetry.lock',
      }),
    },
  },
  ...createEntries('pipenv pdm rye', {
    subcommands: { run: { operands: 'command' }, ...createEntries('install sync lock', { flags: '-d --dev' }) },
  }),
  bundle: {
    subcommands: {
      exec: { operands: 'command' },
      ...createEntries('install update', { flags: '--quiet' }),
      '': { operands: 'none' },
    },
  },
  composer: {
    subcommands: createEntries('install update require remove', {
      flags: '--no-dev --dev --no-interaction -n -q -o --no-scripts',
    }),
  },
})
