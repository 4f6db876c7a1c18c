import { COMMON_FLAGS, createCheckers } from './checker-uses.js'
import { createJavaScriptTools } from './javascript-uses.js'
import { createEntries, type OrdinaryProgram, type OrdinaryUse } from './use.js'

const createLauncher = (flags = '', values = ''): OrdinaryUse => ({
  flags: `${COMMON_FLAGS} ${flags}`,
  values,
  operands: 'command',
})
const createScriptUse = (flags = '', values = ''): OrdinaryUse => ({
  flags: `${COMMON_FLAGS} ${flags}`,
  values,
  operands: 'scriptName',
})

const COVERAGE = createLauncher(
  '--check-coverage --all --per-file --skip-full --source-map --100 --99 --cache --clean --no-clean --exclude-after-remap ' +
    '--experimental-monocart -a',
  '--reporter -r --exclude -x --include -n --lines --functions --branches --statements --extension -e',
)
const REPORT: OrdinaryUse = {
  flags: `${COMMON_FLAGS} --check-coverage --all`,
  values: '--reporter -r --lines --function --functions --statements --branches --root',
}
const MONOREPO_SCRIPT = createScriptUse(
  '--parallel --no-private --stream --all --affected --skip-nx-cache',
  '--scope --filter -F --projects --target -t --output-logs --concurrency',
)

const RUFF: OrdinaryUse = {
  flags: `${COMMON_FLAGS} --unsafe-fixes --no-cache --statistics --diff --exit-zero`,
  values: '--select --ignore --extend-select --output-format --target-version --line-length',
  rewrites: '--fix',
}

/** Returns the uses of checkers and other tools with subcommands. */
export const createToolsWithSubcommands = (): Readonly<Record<string, OrdinaryProgram>> => ({
  ...createEntries('nyc c8', { subcommands: { '': COVERAGE, ...createEntries('report check-coverage', REPORT) } }),
  istanbul: {
    subcommands: {
      cover: createLauncher('--print', '--report --dir -x --root'),
      ...createEntries('report check-coverage', REPORT),
    },
  },
  lerna: {
    subcommands: {
      run: MONOREPO_SCRIPT,
      ...createEntries('bootstrap list ls changed clean', {
        starts: 'npm install, npm ci, yarn install, pnpm install',
        flags: `${COMMON_FLAGS} --all -a --yes --long -l`,
        operands: 'none',
      }),
    },
  },
  turbo: { subcommands: createEntries('run', MONOREPO_SCRIPT) },
  nx: { subcommands: createEntries('run build test lint run-many affected', MONOREPO_SCRIPT) },
  biome: {
    subcommands: createEntries('check ci lint format', {
      flags: `${COMMON_FLAGS} --staged --changed --no-errors-on-unmatched --error-on-warnings --vcs-enabled --use-server --colors`,
      values:
        '--reporter --max-diagnostics --diagnostic-level --since --only --skip --log-level --indent-style --indent-width ' +
        '--line-width --stdin-file-path --files-ignore-unknown',
      configs: '--config-path',
      rewrites: '--write --fix --unsafe --apply --apply-unsafe',
      operands: 'files',
      readsInput: true,
    }),
  },
  ...createEntries(
    'next nuxt astro ng vue-cli-service react-scripts storybook remix docusaurus mintlify gatsby eleventy',
    {
      subcommands: createEntries('build dev start lint test preview export check', {
        flags: `${COMMON_FLAGS} --turbo --prod`,
        values: '-p --port --mode',
      }),
    },
  ),
  gts: {
    subcommands: {
      ...createEntries('check lint init', { flags: `${COMMON_FLAGS} --no-inline-config`, operands: 'files' }),
      fix: { flags: COMMON_FLAGS, operands: 'files', folders: 'rewritten', usesWorkingFolder: true },
    },
  },
  ruff: {
    subcommands: {
      ...createEntries(' check', RUFF),
      format: { flags: `${COMMON_FLAGS} --check --diff`, folders: 'rewritten', usesWorkingFolder: true },
    },
  },
  bower: { subcommands: createEntries('install update prune', { flags: COMMON_FLAGS }) },
  pm2: {
    subcommands: createEntries('start stop restart reload list ls logs status delete', {
      flags: COMMON_FLAGS,
      values: '--name -i',
      passesOperands: true,
    }),
  },
  'node-pre-gyp': {
    subcommands: createEntries('install build rebuild clean', {
      flags: '--fallback-to-build --build-from-source',
      starts: 'node-gyp, make',
    }),
  },
  'node-gyp': {
    subcommands: createEntries('rebuild build configure clean', {
      flags: '--release --debug',
      operands: 'none',
      starts: 'make, python3',
    }),
  },
  'wasm-pack': {
    subcommands: createEntries('build test', {
      starts: 'cargo build, cargo test, npm pack',
      flags: `${COMMON_FLAGS} --release --dev --no-pack --node`,
      values: '--target',
      outputs: '--out-dir',
    }),
  },
  deno: {
    subcommands: {
      ...createEntries('test lint check', {
        flags: `${COMMON_FLAGS} -A --no-lock --allow-read --allow-env --allow-net --allow-write --coverage`,
        configs: '-c --config',
      }),
      ...createEntries('task', { operands: 'scriptName' }),
      run: {
        flags:
          '-A --allow-all --allow-read --allow-env --allow-net --allow-write --no-lock --unstable-sloppy-imports --watch',
        operands: 'script',
      },
      fmt: { flags: '--check', folders: 'rewritten', usesWorkingFolder: true },
    },
  },
})

const RELEASE: OrdinaryUse = {
  flags: `${COMMON_FLAGS} --release --dry-run --auto --commentLines --first-release --no-verify --all --ci --no-ci --push`,
  values: '--release-as',
}

/**
 * Returns the uses of linters, test runners, compilers and bundlers. What they are configured to run is not
 * judged.
 */
export const createTools = (): Readonly<Record<string, OrdinaryUse>> => ({
  ...createCheckers(),
  ...createJavaScriptTools(),
  ...createEntries('black isort', {
    flags: `${COMMON_FLAGS} --check --diff --check-only -c`,
    values: '-l --line-length --profile',
    folders: 'rewritten',
  }),
  tap: {
    flags: `${COMMON_FLAGS} --bail -b --100 --no-check-coverage --check-coverage --cov --no-cov --disable-coverage --tap --no-coverage-report -Rspec --snapshot --allow-empty-coverage --allow-incomplete-coverage`,
    values: '-t --timeout -j --jobs -R --reporter --coverage-report -c',
    operands: 'files',
  },
  ...createEntries('playwright cypress web-test-runner wtr', {
    flags: `${COMMON_FLAGS} --headed --headless --node-resolve --debug --with-deps --playwright`,
    values: '--project --workers --spec',
    modules: '--reporter',
    configs: '--config -c',
    operands: 'files',
    texts: '--grep -g',
  }),
  ...createEntries('pytest py.test', {
    flags: `${COMMON_FLAGS} -vv -s -x --lf --ff --exitfirst --no-header --no-cov --cov --durations --tb --disable-warnings --collect-only -l --sw`,
    values: '--maxfail --cov-report --cov --tb --durations --timeout -n --ignore',
    texts: '-k -m',
  }),
  ...createEntries('mypy pylint flake8 pyright bandit rubocop rspec phpunit phpstan golangci-lint', {
    flags: `${COMMON_FLAGS} --strict --ignore-missing-imports --unsafe-fixes --no-cache --show-error-codes --statistics --check`,
    values:
      '--select --ignore --output-format --python-version --line-length --max-line-length --format --target-version',
    rewrites: '--fix -a -A --autocorrect',
  }),
  ...createEntries('tox nox', { flags: COMMON_FLAGS, values: '-e -s' }),
  rollup: {
    flags: `${COMMON_FLAGS} -c -m --sourcemap --forceExit --failAfterWarnings`,
    modules: '--configPlugin',
    configs: '--config',
    operands: 'files',
    values: '-f --format -n --name --environment -e --external',
    outputs: '-o --file -d --dir',
  },
  ...createEntries('tsdown tsup', {
    flags: `${COMMON_FLAGS} -m --minify --sourcemap --dts --clean --no-dts --no-config --treeshake --splitting --no-splitting --no-clean`,
    configs: '-c --config',
    operands: 'files',
    values: '--format -f --target --tsconfig --external --platform --entry',
    outputs: '-d --out-dir --outDir',
  }),
  webpack: {
    flags: `${COMMON_FLAGS} --progress --profile`,
    configs: '--config -c',
    values: '--mode --env --entry --target --devtool',
    outputs: '--output-path -o',
    operands: 'targets',
  },
  karma: {
    operands: 'files',
    flags: `${COMMON_FLAGS} --single-run --no-single-run`,
    values: '--reporters --log-level',
  },
  parcel: {
    flags: `${COMMON_FLAGS} --no-cache --no-source-maps`,
    values: '--public-url --target -p --port',
    outputs: '--dist-dir -d --out-dir',
  },
  ...createEntries('rimraf del del-cli premove', { flags: `${COMMON_FLAGS} --force --glob`, folders: 'whole' }),
  mkdirp: { flags: '-p' },
  ...createEntries('run-s run-p npm-run-all npm-run-all2', {
    flags:
      '-s -p -l -c -n -S -P --sequential --parallel --serial --continue-on-error --print-label --silent --aggregate-output',
  }),
  ...createEntries('rake ninja cake', { flags: COMMON_FLAGS, values: '-C -j', operands: 'targets' }),
  ...createEntries('gulp grunt', {
    flags: COMMON_FLAGS,
    configs: '--gulpfile -f --gruntfile',
    operands: 'targets',
  }),
  // All options of hereby are passed to the tasks of the project.
  hereby: { operands: 'arguments' },
  ...createEntries('mvn gradle gradlew mvnw', {
    flags: `${COMMON_FLAGS} -B -ntp --batch-mode --no-daemon --stacktrace --info --offline -o`,
    operands: 'targets',
  }),
  ...createEntries('lint-staged pretty-quick', {
    flags: `${COMMON_FLAGS} --staged --check`,
    ...{ maxOperands: 1, folders: 'rewritten', usesWorkingFolder: true, usesWholeProject: true },
    starts: 'git add, git stash',
  }),
  ...createEntries('husky patch-package simple-git-hooks', {
    flags: `${COMMON_FLAGS} --staged --check`,
    maxOperands: 1,
    starts: 'git add, git stash, git config',
  }),
  ...createEntries('changelogen semantic-release release-it bumpp np', {
    ...RELEASE,
    starts: 'git add, git commit, git tag, git push, npm publish, npm version',
  }),
  changeset: { ...RELEASE, starts: 'git add, git commit, git tag, npm publish, pnpm publish' },
  'standard-version': { ...RELEASE, starts: 'git add, git commit, git tag' },
  ...createEntries('npmignore in-publish not-in-publish', RELEASE),
  napi: {
    starts: 'cargo build',
    flags: `${COMMON_FLAGS} --release --platform --no-js --strip --no-gh-release --esm`,
    values: '--js --dts --manifest-path -p --package --target --package-json-path --npm-dir --features -F',
    outputs: '-o --output-dir',
  },
  ...createEntries('safe-publish-latest should-semantic-release resolve-audit aud nsp', {
    flags: `${COMMON_FLAGS} --production --release --platform`,
  }),
  ...createEntries('tap-spec tap-dot faucet snazzy tap-min tap-nyan pino-pretty codecov coveralls', {
    flags: COMMON_FLAGS,
    readsInput: true,
  }),
  ...createEntries('serve http-server live-server json-server', {
    flags: `${COMMON_FLAGS} -s --single --cors`,
    values: '-p --port -l --listen',
    folders: 'whole',
    usesWorkingFolder: true,
  }),
  ...createEntries('venv virtualenv', { flags: '--clear --system-site-packages', folders: 'whole' }),
  lsof: { flags: '-n -P -a -l -t', values: '-i -s -p -u -c', onlyReads: true, runsNoFiles: true },
  unittest: { flags: '-v -q -f', values: '-s -p', texts: '-k' },
  'http.server': { values: '-b --bind', folders: 'whole', usesWorkingFolder: true, maxOperands: 1 },
  'json.tool': { flags: '--sort-keys --compact', readsInput: true },
  nodemon: { flags: COMMON_FLAGS, maxOperands: 1 },
  ...createEntries('ts-node-dev tsnd node-dev', {
    flags: `${COMMON_FLAGS} --respawn --transpile-only --inspect --clear --no-notify`,
    values: '--ext -e --ignore -i --delay',
    operands: 'script',
  }),
  ...createEntries('cross-env shx', { operands: 'command' }),
  ...createEntries('dotenv env-cmd', { operands: 'command', folders: 'whole', usesWorkingFolder: true }),
  concurrently: {
    flags: `${COMMON_FLAGS} -k --kill-others --kill-others-on-fail -r --raw -s`,
    values: '-c --prefix-colors -n --names -p --prefix',
    operands: 'commands',
  },
  npx: createLauncher('-y --yes --no-install --no', '-p --package'),
  ...createEntries('bunx pnpx uvx', createLauncher('--bun')),
})
