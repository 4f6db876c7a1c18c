import { createEntries, type OrdinaryProgram, type OrdinaryUse } from './use.js'

/** Flags that are harmless for every program that is listed with them. */
const COMMON_FLAGS = '--help --version --verbose --quiet --silent --color --no-color --watch -h -v -q -w'

/**
 * Tools whose options run no program: they set switches, or name files and modules of the project. Tools with an option
 * for a command, a browser or an interpreter are excluded.
 */
const CHECKERS =
  'eslint tslint stylelint oxlint standard standardx semistandard ts-standard xo jshint cspell markdownlint markdownlint-cli2 ' +
  'publint knip eclint alex remark cpplint hadolint shellcheck attw tsc tsgo vue-tsc svelte-check tsd tsd-check dtslint ' +
  'api-extractor size-limit depcheck depcruise madge license-checker ts-prune ts-unused-exports source-map-explorer bundlesize ' +
  'commitlint ls-lint editorconfig-checker npmPkgJsonLint textlint write-good semver wait-on check-dts type-coverage es-check pkg-utils ' +
  'why-is-node-running npm-check npm-check-updates ncu npm-packlist pkg-size license-report skott unimported plato retire audit-ci ' +
  'better-npm-audit lockfile-lint validate-commit-msg eslint_d prettier-eslint prettier-standard prettier-check standard-markdown ' +
  'csslint htmlhint html-validate yamllint yaml-lint jsonlint ajv jscs jslint flow flow-typed linkinator mdspell lintspaces ' +
  'installed-check ls-engines dependency-check eslint-find-rules eslint-doc-generator lit-analyzer cem arethetypeswrong tsc-strict dtsgen'
const TEST_RUNNERS =
  'mocha _mocha jest vitest ava tape uvu jasmine qunit brittle borp lab vows matcha evalmd ' +
  'nodeunit expresso mochify zora tape-run cucumber-js ospec riteway jest-cli polendina mocha-phantomjs tstyche japa poku'
const BUILDERS =
  'esbuild vite babel swc browserify derequire uglifyjs terser cleancss csso svgo sass lessc stylus postcss tailwindcss pug ' +
  'handlebars typedoc jsdoc documentation jsdoc2md marked markdown-toc markdown-link-check tsc-alias dts-bundle-generator ' +
  'openapi-typescript json2ts graphql-codegen peggy pegjs nearleyc jison quicktype pbjs pbts ncc mkdist unbuild tshy zshy pkgroll ' +
  'preconstruct auto-changelog conventional-changelog doctoc sort-package-json syncpack vitepress rolldown hereby gts ts-scripts ' +
  'vp bili snowpack buble flow-remove-types flow-copy-source esdoc docsify vuepress gitbook hexo metalsmith watchify exorcist dts-generator ' +
  'dts-gen dts-buddy tsc-esm-fix ttsc tspc js-beautify html-minifier node-sass imagemin svgr antlr4ts regexgen asc generate-changelog ' +
  'changelog-maker json json5 yaml js-yaml ejs mustache nunjucks svelte-package custom-elements-manifest styleguidist envinfo npm-dts ' +
  'rollup-dts-bundle license-checker-rseidelsohn all-contributors contributor-faces unicode-data-cli readme-md-generator verb'
const COPIERS = 'cpy copyfiles ncp replace replace-in-file replace-in-files recursive-copy cp-cli json-merge'

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
  flags: COMMON_FLAGS,
  values: '--reporter -r --lines --function --functions --statements --branches --root',
}
const MONOREPO_SCRIPT = createScriptUse(
  '--parallel --no-private --stream --all --affected --skip-nx-cache',
  '--scope --filter --projects --target -t',
)

/** Tools with subcommands. */
export const TOOLS_WITH_SUBCOMMANDS: Readonly<Record<string, OrdinaryProgram>> = {
  ...createEntries('nyc c8', { subcommands: { '': COVERAGE, ...createEntries('report check-coverage', REPORT) } }),
  istanbul: {
    subcommands: {
      cover: createLauncher('--print', '--report --dir -x --root'),
      ...createEntries('report check-coverage', REPORT),
    },
  },
  ...createEntries('lerna turbo', { subcommands: { run: MONOREPO_SCRIPT } }),
  nx: { subcommands: createEntries('run build test lint run-many affected', MONOREPO_SCRIPT) },
  biome: {
    subcommands: createEntries('check ci lint format', {
      takesAnyOption: true,
      rewrites: '--write --fix --unsafe --apply',
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
  bower: { subcommands: createEntries('install update prune', { flags: COMMON_FLAGS }) },
  pm2: {
    subcommands: createEntries('start stop restart reload list ls logs status delete', {
      flags: COMMON_FLAGS,
      values: '--name -i',
      passesOperands: true,
    }),
  },
  'node-pre-gyp': {
    subcommands: createEntries('install build rebuild clean', { flags: '--fallback-to-build --build-from-source' }),
  },
  'node-gyp': {
    subcommands: createEntries('rebuild build configure clean', { flags: '--release --debug', operands: 'none' }),
  },
  'wasm-pack': {
    subcommands: createEntries('build test', {
      flags: `${COMMON_FLAGS} --release --dev --no-pack --node`,
      values: '--target',
      outputs: '--out-dir',
    }),
  },
  deno: {
    subcommands: {
      ...createEntries('test lint check', {
        flags: `${COMMON_FLAGS} -A --no-lock --allow-read --allow-env --allow-net --allow-write --coverage`,
        values: '-c --config',
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
}

const CHECKER: OrdinaryUse = {
  takesAnyOption: true,
  rewrites: '--fix --write',
  readsInput: true,
  outputs: '--outDir --declarationDir --outFile -o',
}

/** Linters, test runners, compilers and bundlers of projects. What they are configured to run is not judged. */
export const TOOLS: Readonly<Record<string, OrdinaryUse>> = {
  ...createEntries(CHECKERS, CHECKER),
  ...createEntries('tsc tsgo vue-tsc', { ...CHECKER, writesBeside: true }),
  knip: { ...CHECKER, rewritesWorkingFolder: true },
  ...createEntries('ncu npm-check-updates', {
    ...CHECKER,
    rewrites: '-u --upgrade',
    rewritesWorkingFolder: true,
  }),
  ...createEntries(TEST_RUNNERS, {
    takesAnyOption: true,
    texts: '-g --grep -f --fgrep -t --testNamePattern -m --match',
    outputs: '--coverageDirectory --outputFile --outputJson',
  }),
  ...createEntries(BUILDERS, { takesAnyOption: true, folders: 'whole', writesBeside: true }),
  ...createEntries(COPIERS, { takesAnyOption: true, folders: 'whole', changesFiles: true }),
  ...createEntries('prettier oxfmt dprint shfmt gofmt goimports rustfmt', {
    takesAnyOption: true,
    rewrites: '-w --write --fix -i --in-place',
    readsInput: true,
  }),
  ...createEntries('black isort', {
    flags: `${COMMON_FLAGS} --check --diff --check-only -c`,
    values: '-l --line-length --profile',
    folders: 'rewritten',
  }),
  tap: {
    flags: `${COMMON_FLAGS} --bail -b --100 --no-check-coverage --check-coverage --cov --no-cov --disable-coverage --tap --no-coverage-report -Rspec`,
    values: '-t --timeout -j --jobs -R --reporter --coverage-report -c',
  },
  ...createEntries('playwright cypress web-test-runner wtr', {
    flags: `${COMMON_FLAGS} --headed --headless --node-resolve --debug --with-deps --playwright`,
    values: '--project --reporter --config -c --workers --spec',
    texts: '--grep -g',
  }),
  ...createEntries('pytest py.test', {
    flags: `${COMMON_FLAGS} -vv -s -x --lf --ff --exitfirst --no-header --no-cov --cov --durations --tb --disable-warnings --collect-only -l --sw`,
    values: '--maxfail --cov-report --cov --tb --durations --timeout -n --ignore',
    texts: '-k -m',
  }),
  ...createEntries('ruff mypy pylint flake8 pyright bandit rubocop rspec phpunit phpstan golangci-lint', {
    flags: `${COMMON_FLAGS} --strict --ignore-missing-imports --unsafe-fixes --no-cache --show-error-codes --statistics --check`,
    values:
      '--select --ignore --output-format --python-version --line-length --max-line-length --format --target-version',
    rewrites: '--fix -a -A --autocorrect',
  }),
  ...createEntries('tox nox', { flags: COMMON_FLAGS, values: '-e -s' }),
  rollup: {
    flags: `${COMMON_FLAGS} -c -m --sourcemap --forceExit --failAfterWarnings`,
    values: '--config --configPlugin -f --format -n --name --environment -e --external',
    outputs: '-o --file -d --dir',
  },
  ...createEntries('tsdown tsup', {
    flags: `${COMMON_FLAGS} -m --minify --sourcemap --dts --clean --no-dts --no-config --treeshake --splitting --no-splitting`,
    values: '-c --config --format -f --target --tsconfig --external --platform --entry',
    outputs: '-d --out-dir --outDir',
  }),
  webpack: {
    flags: `${COMMON_FLAGS} --progress --profile`,
    values: '--config -c --mode --env --entry --target --devtool',
    outputs: '--output-path -o',
    operands: 'targets',
  },
  karma: { flags: `${COMMON_FLAGS} --single-run --no-single-run`, values: '--reporters --log-level' },
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
  ...createEntries('gulp grunt rake ninja', { flags: COMMON_FLAGS, values: '-C -j', operands: 'targets' }),
  ...createEntries('mvn gradle gradlew mvnw', {
    flags: `${COMMON_FLAGS} -B -ntp --batch-mode --no-daemon --stacktrace --info --offline -o`,
    operands: 'targets',
  }),
  ...createEntries('husky patch-package lint-staged pretty-quick simple-git-hooks', {
    flags: `${COMMON_FLAGS} --staged --check`,
    maxOperands: 1,
  }),
  ...createEntries(
    'changeset changelogen standard-version semantic-release release-it bumpp np npmignore in-publish not-in-publish',
    {
      flags: `${COMMON_FLAGS} --release --dry-run --auto --commentLines --first-release --no-verify --all --ci --no-ci --push`,
      values: '--release-as',
    },
  ),
  ...createEntries('safe-publish-latest should-semantic-release resolve-audit aud nsp napi', {
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
}
