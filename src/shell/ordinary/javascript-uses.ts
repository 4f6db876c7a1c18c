import { COMMON_FLAGS } from './checker-uses.js'
import { createEntries, type OrdinaryUse } from './use.js'

const PLAIN_TEST_RUNNERS =
  'brittle covert rstest lab vows matcha evalmd nodeunit expresso mochify zora tape-run cucumber-js ospec riteway polendina mocha-phantomjs tstyche japa poku'
const PLAIN_BUILDERS =
  'csso stylus pug handlebars markdown-toc markdown-link-check ' +
  'openapi-typescript json2ts peggy pegjs nearleyc jison quicktype pkgroll ' +
  'preconstruct sort-package-json syncpack obuild bundt ts-scripts ' +
  'bili snowpack buble flow-remove-types flow-copy-source esdoc docsify vuepress gitbook hexo metalsmith exorcist dts-generator ' +
  'dts-gen dts-buddy tsc-esm-fix js-beautify html-minifier node-sass imagemin svgr antlr4ts regexgen generate-changelog ' +
  'changelog-maker json json5 yaml js-yaml ejs mustache nunjucks svelte-package custom-elements-manifest styleguidist envinfo npm-dts ' +
  'rollup-dts-bundle license-checker-rseidelsohn all-contributors contributor-faces unicode-data-cli readme-md-generator verb ' +
  'ncc mkdist tshy zshy graphql-codegen json-merge'
const COPIERS = 'cpy copyfiles ncp recursive-copy cp-cli replace replace-in-file replace-in-files'

/** The use of a program that prints or copies the files among its operands. */
const SOURCE_TOOL: OrdinaryUse = { flags: COMMON_FLAGS, operands: 'files', folders: 'whole' }
const BUILDER: OrdinaryUse = { flags: COMMON_FLAGS, operands: 'files', folders: 'whole', writesBeside: true }
/** The use of a program that reads its operands. It writes only files that are named by its options, its configuration or the tests. */
const PROJECT_TOOL: OrdinaryUse = { flags: COMMON_FLAGS, operands: 'files' }
const extend = (base: OrdinaryUse, use: OrdinaryUse): OrdinaryUse => ({
  ...base,
  ...use,
  flags: `${COMMON_FLAGS} ${use.flags ?? ''}`,
})

const MOCHA = extend(PROJECT_TOOL, {
  flags:
    '--allow-uncaught --async-only -A --bail -b --check-leaks --delay --dry-run --exit --no-exit --fail-zero --forbid-only ' +
    '--forbid-pending --full-trace --inline-diffs --diff --no-diff --parallel -p --no-parallel --recursive --sort -S -c -C --colors ' +
    '--no-colors -V --list-reporters --list-interfaces --trace-deprecation --trace-warnings --throw-deprecation --inspect ' +
    '--inspect-brk --expose-gc --experimental-vm-modules --no-warnings -i --invert --no-timeouts --enable-source-maps',
  values:
    '--retries --slow -s --timeout --timeouts -t --jobs -j --global --globals --extension --ext --ignore --exclude --watch-files ' +
    '--watch-ignore --reporter-option --reporter-options -O --opts',
  modules: '-r --require -R --reporter -u --ui --import --loader',
  configs: '--config --file --spec --package',
  texts: '-g --grep -f --fgrep',
})

const VITEST = extend(PROJECT_TOOL, {
  flags:
    '--run --update -u --coverage --no-coverage --hideSkippedTests --no-isolate --isolate --no-file-parallelism --fileParallelism ' +
    '--globals --dom --passWithNoTests --allowOnly --no-allowOnly --dangerouslyIgnoreUnhandledErrors --typecheck --typecheck.only ' +
    '--logHeapUsage --clearScreen --no-clearScreen --standalone --printConsoleTrace --no-cache --changed --expandSnapshotDiff ' +
    '--disableConsoleIntercept --coverage.enabled --coverage.all --json --filesOnly --ui --browser.headless --no-watch',
  values:
    '--project --mode --environment --shard --exclude --dir --testTimeout --hookTimeout --bail --retry --pool --maxWorkers --minWorkers ' +
    '--maxConcurrency --inspect --inspectBrk --inspect-brk --slowTestThreshold --teardownTimeout --coverage.provider --coverage.reporter ' +
    '--coverage.include --coverage.exclude --browser --browser.name --compare --test-timeout --max-workers --sequence.seed',
  modules: '--reporter',
  configs: '-c --config -r --root',
  texts: '-t --testNamePattern',
  outputs: '--outputFile --outputJson --coverage.reportsDirectory',
})

const JEST = extend(PROJECT_TOOL, {
  flags:
    '--bail -b --ci --clearCache --collectCoverage --coverage --no-coverage --debug --detectOpenHandles --detectLeaks --expand -e ' +
    '--forceExit --injectGlobals --json --lastCommit --listTests --logHeapUsage --no-cache --notify -o --onlyChanged -f --onlyFailures ' +
    '--passWithNoTests --runInBand -i --runTestsByPath --showConfig --skipFilter --updateSnapshot -u --useStderr --watchAll ' +
    '--no-watchman --noStackTrace --randomize --errorOnDeprecated --findRelatedTests --watchAll=false',
  values:
    '--changedSince --collectCoverageFrom --coverageReporters --maxWorkers -w --maxConcurrency --selectProjects --shard --testMatch ' +
    '--testPathIgnorePatterns --testPathPattern --testPathPatterns --testTimeout --testLocationInResults --seed --roots',
  modules: '--env --testEnvironment --reporters --preset',
  configs: '-c --config --rootDir',
  texts: '-t --testNamePattern',
  outputs: '--coverageDirectory --outputFile --cacheDirectory',
})

/** Returns the uses of test runners. The tests and what the configuration loads are not judged. */
const createTestRunners = (): Readonly<Record<string, OrdinaryUse>> => ({
  ...createEntries(PLAIN_TEST_RUNNERS, PROJECT_TOOL),
  evalmd: extend(PROJECT_TOOL, { flags: '--eslint' }),
  vows: extend(PROJECT_TOOL, { flags: '--spec --dot-matrix --json' }),
  ...createEntries('mocha _mocha', MOCHA),
  vitest: VITEST,
  ...createEntries('jest jest-cli', JEST),
  ava: extend(PROJECT_TOOL, {
    flags: '--serial -s --fail-fast --no-worker-threads --update-snapshots -u --tap -t --no-cache',
    values: '--timeout -T --concurrency -c',
    texts: '-m --match',
    configs: '--config',
  }),
  tape: extend(PROJECT_TOOL, {
    flags: '--only --no-only --strict',
    values: '-i --ignore --ignore-pattern',
    modules: '-r --require --import',
  }),
  uvu: extend(PROJECT_TOOL, { flags: '-b --bail -c', values: '-i --ignore', modules: '-r --require' }),
  jasmine: extend(PROJECT_TOOL, {
    flags: '--random --fail-fast --stop-on-failure',
    values: '--seed --parallel',
    modules: '--reporter --helper --require',
    configs: '--config',
    texts: '--filter',
  }),
  qunit: extend(PROJECT_TOOL, { values: '--seed', modules: '--reporter --require', texts: '-f --filter -m --module' }),
  borp: extend(PROJECT_TOOL, {
    flags: '--coverage --check-coverage --no-typescript --expose-gc -C --no-timeout',
    values:
      '--concurrency -c --timeout -t --pattern -p --ignore -i --coverage-exclude -X --lines --functions --branches --statements',
    modules: '--reporter -r',
  }),
})

const BROWSERIFY = extend(SOURCE_TOOL, {
  flags:
    '--debug -d --node --bare --no-bundle-external --list --ignore-missing --im --full-paths --dedupe --bundle-external',
  values: '-s --standalone -x --external -i --ignore -u --exclude -r --require -e --entry --extension',
  modules: '-t --transform -g --global-transform -p --plugin',
  outputs: '-o --outfile',
})
const MINIFIER = extend(SOURCE_TOOL, {
  flags:
    '-c --compress -m --mangle -b --beautify --source-map --toplevel --keep-fnames --keep-classnames --comments --module --ie8 --safari10 -mc -cm',
  values: '--ecma --define -d --mangle-props',
  outputs: '-o --output',
})
const BUNDLER = extend(PROJECT_TOOL, {
  flags: '-m --minify --sourcemap --clean --dts --no-clean --stub --parallel --sourcemaps',
  values: '-f --format -t --target --platform --external -n --name --mode',
  configs: '-c --config --tsconfig',
  outputs: '-o --file -d --dir --out-dir --outDir',
})
const SITE = extend(PROJECT_TOOL, {
  flags: '--host --strictPort --force --cors --emptyOutDir --manifest --minify --sourcemap --ssr --debug -d',
  values: '-p --port --mode -m -l --logLevel --base --host',
  configs: '-c --config',
  outputs: '--outDir',
})

/** Returns the uses of compilers, bundlers and generators. What their configuration runs is not judged. */
const createBuilders = (): Readonly<Record<string, OrdinaryUse>> => ({
  ...createEntries(PLAIN_BUILDERS, BUILDER),
  'all-contributors': { ...BUILDER, starts: 'git add, git commit' },
  ...createEntries('sort-package-json syncpack', { ...BUILDER, files: 'package.json' }),
  esbuild: extend(SOURCE_TOOL, {
    flags:
      '--bundle --minify --minify-whitespace --minify-syntax --minify-identifiers --sourcemap --splitting --keep-names ' +
      '--allow-overwrite --ignore-annotations --tree-shaking --analyze --preserve-symlinks',
    values:
      '--target --platform --format --global-name --resolve-extensions --main-fields --conditions --packages --jsx --jsx-factory ' +
      '--jsx-fragment --jsx-import-source --log-level --log-limit --tsconfig --public-path --entry-names --chunk-names --asset-names ' +
      '--charset --legal-comments --line-limit --sources-content --drop-labels ' +
      '--external: --loader: --define: --alias: --inject: --footer: --banner: --out-extension: --pure: --drop: --supported:',
    outputs: '--outfile --outdir --outbase --metafile',
  }),
  ...createEntries('vite vitepress', SITE),
  // Its subcommands are those of Vite, Vitest and Oxlint.
  vp: extend(PROJECT_TOOL, {
    flags: '--run --coverage --check --no-clean',
    values: '--project --mode --port',
    rewrites: '--fix --write',
    rewritesWorkingFolder: true,
  }),
  babel: extend(SOURCE_TOOL, {
    flags:
      '--copy-files -D --source-maps -s --no-babelrc --keep-file-extension --no-comments --compact --minified --delete-dir-on-start',
    values: '-x --extensions --ignore --only --root-mode --env-name --out-file-extension',
    modules: '--presets --plugins',
    configs: '--config-file',
    outputs: '-o --out-file -d --out-dir',
  }),
  swc: extend(SOURCE_TOOL, {
    flags: '--sync --copy-files -D -s --source-maps',
    values: '-C --config --extensions',
    configs: '--config-file',
    outputs: '-d --out-dir -o --out-file',
  }),
  ...createEntries('browserify watchify', BROWSERIFY),
  ...createEntries('uglifyjs terser', MINIFIER),
  cleancss: extend(SOURCE_TOOL, { flags: '--source-map -b', values: '-O --level', outputs: '-o --output' }),
  svgo: extend(BUILDER, {
    flags: '-r --recursive --pretty --multipass',
    values: '-p --precision',
    configs: '--config',
    outputs: '-o --output -f --folder',
  }),
  sass: extend(BUILDER, {
    flags: '--no-source-map --update --stop-on-error --embed-source-map',
    values: '-s --style -I --load-path',
  }),
  lessc: extend(BUILDER, { flags: '--source-map -x --compress', values: '--include-path' }),
  ...createEntries(
    'postcss tailwindcss',
    extend(BUILDER, {
      flags: '--minify -m --no-map --map --verbose',
      values: '-i --input',
      configs: '-c --config',
      outputs: '-o --output -d --dir',
    }),
  ),
  typedoc: extend(PROJECT_TOOL, {
    flags:
      '--excludeNotExported --hideBreadcrumbs --disableSources --excludePrivate --excludeProtected --excludeExternals --expandParameters ' +
      '--githubPages --includeVersion --cleanOutputDir --treatWarningsAsErrors --skipErrorChecking --hideGenerator --ignoreCompilerErrors',
    values:
      '--tsconfig --readme --name --mode --theme --entryPoints --entryPointStrategy --exclude --media --gitRevision --logLevel --module --target',
    modules: '--plugin',
    configs: '--options',
    outputs: '--out --json',
  }),
  jsdoc: extend(SOURCE_TOOL, {
    flags: '-r --recurse --pedantic -p --private',
    values: '-a --access -q -R --readme -P --package',
    configs: '-c --configure -t --template -u --tutorials',
    outputs: '-d --destination',
  }),
  documentation: extend(BUILDER, {
    flags: '--shallow --markdown-toc',
    values: '-f --format --access --section',
    outputs: '-o --output',
  }),
  jsdoc2md: extend(BUILDER, { values: '-t --template --heading-depth' }),
  marked: extend(BUILDER, { flags: '--gfm', values: '-i --input', outputs: '-o --output' }),
  'tsc-alias': extend(PROJECT_TOOL, { flags: '-f', values: '-p --project', outputs: '--outDir --declarationDir' }),
  ...createEntries(
    'ttsc tspc',
    extend(BUILDER, { flags: '--noEmit -b --declaration -d', values: '-p --project', outputs: '--outDir' }),
  ),
  'dts-bundle-generator': extend(PROJECT_TOOL, {
    flags: '--no-check --export-referenced-types --no-banner --sort --silent --inline-declare-global',
    values: '--project --external-inlines --external-imports --external-types --umd-module-name',
    outputs: '-o --out-file',
  }),
  ...createEntries(
    'pbjs pbts',
    extend(BUILDER, {
      flags: '--es6 --no-create --no-verify --no-delimited --keep-case',
      values: '-t --target -w --wrap -r --root -p --path',
      outputs: '-o --out',
    }),
  ),
  derequire: { ...PROJECT_TOOL, readsInput: true },
  ...createEntries('unbuild rolldown', BUNDLER),
  asc: extend(BUILDER, {
    flags: '-O --optimize --sourceMap --debug -O3',
    values: '--target --runtime',
    configs: '--config',
    outputs: '-o --outFile -t --textFile -b --binaryFile',
  }),
  ...createEntries('auto-changelog conventional-changelog', {
    flags: `${COMMON_FLAGS} -s --same-file --first-release --unreleased --append`,
    values: '-p --preset -r --release-count -u --commit-limit --tag-prefix --starting-version -l',
    outputs: '-i --infile -o --outfile --output',
    operands: 'none',
  }),
  'downlevel-dts': extend(PROJECT_TOOL, { values: '--to', folders: 'whole' }),
  doctoc: extend(PROJECT_TOOL, {
    folders: 'rewritten',
    flags: '--github --notitle --no-title',
    values: '--maxlevel',
    texts: '--title',
  }),
})

/** Returns the uses of test runners, compilers, bundlers and generators of JavaScript projects. */
export const createJavaScriptTools = (): Readonly<Record<string, OrdinaryUse>> => ({
  ...createTestRunners(),
  ...createBuilders(),
  ...createEntries(COPIERS, {
    flags: `${COMMON_FLAGS} -f --flat -E --error -V -a --all -F --follow -s --soft -r --recursive`,
    values: '-u --up -e --exclude',
    folders: 'whole',
    changesFiles: true,
  }),
})
