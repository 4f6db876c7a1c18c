import { createEntries, type OrdinaryUse } from './use.js'

/** Flags that are harmless for every program that is listed with them. */
export const COMMON_FLAGS = '--help --version --verbose --quiet --silent --color --no-color --watch -h -v -q -w'

/** Checkers of which only the common flags are accepted. */
const PLAIN_CHECKERS =
  'ts-standard publint eclint alex cpplint attw tsd-check dtslint pkg-utils size-limit depcheck madge license-checker ts-prune ' +
  'ts-unused-exports source-map-explorer bundlesize ls-lint editorconfig-checker npmPkgJsonLint textlint write-good semver wait-on ' +
  'check-dts type-coverage es-check npm-packlist pkg-size license-report skott unimported plato retire audit-ci better-npm-audit ' +
  'lockfile-lint validate-commit-msg prettier-check standard-markdown csslint htmlhint html-validate yamllint yaml-lint jsonlint ' +
  'dpdm jscs jslint linkinator mdspell lintspaces installed-check ls-engines dependency-check eslint-find-rules lit-analyzer cem ' +
  'arethetypeswrong tsc-strict dtsgen hadolint shellcheck ajv commitlint markdownlint markdownlint-cli2 remark'

const CHECKER: OrdinaryUse = { flags: COMMON_FLAGS, operands: 'files', readsInput: true }
const withOptions = (use: OrdinaryUse): OrdinaryUse => ({
  ...CHECKER,
  ...use,
  flags: `${COMMON_FLAGS} ${use.flags ?? ''}`,
})

const ESLINT = withOptions({
  flags:
    '--no-eslintrc --no-config-lookup --env-info --no-inline-config --cache --no-cache --debug --exit-on-fatal-error ' +
    '--no-error-on-unmatched-pattern --report-unused-disable-directives --report-unused-inline-configs --no-warn-ignored ' +
    '--pass-on-no-patterns --stats --no-ignore --stdin --fix-dry-run',
  values:
    '--ext --env --global --parser-options --ignore-path --ignore-pattern --max-warnings --cache-strategy --rule --fix-type ' +
    '--concurrency --flag --print-config --stdin-filename --report-unused-disable-directives-severity',
  modules: '--parser --plugin -f --format',
  configs: '-c --config --rulesdir',
  rewrites: '--fix',
  outputs: '-o --output-file --cache-location --cache-file',
})

const STANDARD_USE = withOptions({
  flags: '--stdin --no-cache --space --prettier',
  values: '--ignore --global --env --extension --ext',
  modules: '--plugin --parser',
  rewrites: '--fix',
})

const PRETTIER = withOptions({
  printsUnless: '--check -c --list-different -l --write -w',
  flags:
    '--check -c --list-different -l --no-config --no-editorconfig --no-semi --semi --single-quote --jsx-single-quote --use-tabs ' +
    '--bracket-same-line --no-bracket-spacing --cache --no-cache --ignore-unknown -u --insert-pragma --require-pragma ' +
    '--with-node-modules --no-error-on-unmatched-pattern --vue-indent-script-and-style --single-attribute-per-line ' +
    '--experimental-ternaries --support-info --no-plugin-search',
  values:
    '--config-precedence --ignore-path --log-level --loglevel --parser --print-width --tab-width --trailing-comma --arrow-parens ' +
    '--prose-wrap --end-of-line --quote-props --html-whitespace-sensitivity --embedded-language-formatting --stdin-filepath ' +
    '--cache-strategy --find-config-path --file-info --range-start --range-end --object-wrap',
  modules: '--plugin',
  configs: '--config',
  outputs: '--cache-location',
  rewrites: '-w --write',
})

const TYPESCRIPT = withOptions({
  flags:
    '--noEmit --build -b --declaration -d --emitDeclarationOnly --strict --strictNullChecks --noImplicitAny --allowJs --allowJS ' +
    '--checkJs --checkJS --esModuleInterop --skipLibCheck --clean --force -f --dry --incremental --pretty --sourceMap ' +
    '--declarationMap --inlineSourceMap --removeComments --noUnusedLocals --noUnusedParameters --experimentalDecorators ' +
    '--emitDecoratorMetadata --resolveJsonModule --isolatedModules --isolatedDeclarations --composite --listFiles ' +
    '--listEmittedFiles --listFilesOnly --explainFiles --showConfig --traceResolution --diagnostics --extendedDiagnostics ' +
    '--preserveWatchOutput --noErrorTruncation --stripInternal --downlevelIteration --importHelpers --noImplicitReturns ' +
    '--allowSyntheticDefaultImports --forceConsistentCasingInFileNames --noLib --noResolve --noEmitOnError --preserveSymlinks ' +
    '--allowImportingTsExtensions --rewriteRelativeImportExtensions --verbatimModuleSyntax --erasableSyntaxOnly --noCheck --all ' +
    '--singleThreaded --stopBuildOnErrors --exactOptionalPropertyTypes --noUncheckedIndexedAccess --strictFunctionTypes',
  values:
    '-p --project --lib --target -t --module -m --moduleResolution --typeRoots --types --jsx --jsxFactory --jsxImportSource --baseUrl ' +
    '--rootDir --newLine --customConditions --moduleDetection --maxNodeModuleJsDepth --mapRoot --sourceRoot --locale --ignoreDeprecations',
  outputs: '--outDir --declarationDir --outFile --out --tsBuildInfoFile --generateTrace --generateCpuProfile',
  writesBeside: true,
})

/** Returns the uses of linters, type checkers and formatters. What their configuration runs is not judged. */
export const createCheckers = (): Readonly<Record<string, OrdinaryUse>> => ({
  ...createEntries(PLAIN_CHECKERS, CHECKER),
  dpdm: withOptions({ flags: '--no-warning --no-tree --no-circular -T', values: '--exit-code --ext --exclude' }),
  eslint: ESLINT,
  ...createEntries('standard standardx semistandard xo', STANDARD_USE),
  ...createEntries(
    'tslint jshint',
    withOptions({
      flags: '--type-check --force --exclude-exports',
      values: '-p --project -e --exclude --extract --reporter -t --format --exclude-path',
      configs: '-c --config -r --rules-dir',
      outputs: '-o --out',
      rewrites: '--fix',
    }),
  ),
  stylelint: withOptions({
    flags: '--cache --allow-empty-input --aei --quiet-deprecation-warnings --no-color --disable-default-ignores',
    values: '--ignore-path -i --ignore-pattern --max-warnings --mw --formatter -f --customSyntax',
    configs: '--config -c',
    modules: '--custom-syntax',
    rewrites: '--fix',
    outputs: '--cache-location --output-file -o',
  }),
  oxlint: withOptions({
    flags:
      '--deny-warnings --type-aware --type-check --no-ignore --import-plugin --react-plugin --jest-plugin --vitest-plugin --nextjs-plugin ' +
      '--jsx-a11y-plugin --node-plugin --promise-plugin --disable-nested-config --report-unused-disable-directives --rules',
    values:
      '-A --allow -W --warn -D --deny --ignore-path --ignore-pattern --max-warnings -f --format --threads --tsconfig',
    configs: '-c --config',
    rewrites: '--fix --fix-suggestions --fix-dangerously',
  }),
  cspell: withOptions({
    flags:
      '--cache --no-cache --no-progress --no-summary --no-must-find-files --gitignore --no-gitignore --dot --unique --words-only --show-context',
    values: '-e --exclude --locale --language-id --cache-strategy --file-list',
    configs: '-c --config',
    outputs: '--cache-location',
  }),
  ...createEntries(
    'knip',
    withOptions({
      flags:
        '--production --strict --no-exit-code --no-progress --cache --dependencies --exports --files --include-entry-exports --debug -p -n',
      values: '-W --workspace --reporter --include --exclude --max-issues --tags -t --tsConfig',
      configs: '-c --config',
      rewrites: '--fix --allow-remove-files --fix-type --format',
      rewritesWorkingFolder: true,
    }),
  ),
  depcruise: withOptions({
    flags: '--no-config --cache --metrics --progress -p',
    values: '--include-only -I --focus -F --exclude -x --do-not-follow -X -T --output-type --ts-config',
    configs: '-c -v --config --validate',
    outputs: '-f --output-to',
  }),
  ...createEntries(
    'ncu npm-check-updates npm-check',
    withOptions({
      starts: 'npm install',
      flags:
        '--deep --dev --prod --peer -g --global -m --minimal --root -ws --workspaces --no-cache --cache --jsonUpgraded --skip-unused -E --json',
      values: '-t --target -x --reject -f --filter -e --errorLevel --format --dep --timeout -w --workspace',
      rewrites: '-u --upgrade -y --update-all',
      rewritesWorkingFolder: true,
    }),
  ),
  'api-extractor': withOptions({ flags: '--local -l --diagnostics -d --debug', configs: '-c --config' }),
  ...createEntries(
    'attw arethetypeswrong',
    withOptions({
      flags: '-P --pack --no-emoji --no-summary',
      values: '--profile --entrypoints --exclude-entrypoints --include-entrypoints --ignore-rules -f --format',
      usesWorkingFolder: true,
      starts: 'npm pack',
    }),
  ),
  ...createEntries(
    'publint pkg-utils',
    withOptions({ starts: 'npm pack', flags: '--strict', values: '--level --pack' }),
  ),
  tsd: withOptions({ values: '-t --typings -f --files', flags: '--show-diff' }),
  'svelte-check': withOptions({
    flags: '--fail-on-warnings --no-tsconfig --preserveWatchOutput',
    values: '--tsconfig --threshold --output --ignore --compiler-warnings --workspace',
  }),
  'size-limit': withOptions({ flags: '--json --limit --why', values: '--limit' }),
  ...createEntries(
    'commitlint',
    withOptions({
      flags: '--strict --last -l',
      values: '--from -f --to -t --edit -e --from-last-tag',
      configs: '--config -g',
    }),
  ),
  ...createEntries(
    'markdownlint markdownlint-cli2',
    withOptions({
      flags: '--dot --disable',
      values: '-i --ignore -p --ignore-path --enable',
      configs: '-c --config -r --rules',
      rewrites: '-f --fix',
    }),
  ),
  ...createEntries('tsc tsgo vue-tsc', TYPESCRIPT),
  prettier: PRETTIER,
  ...createEntries(
    'oxfmt',
    withOptions({
      flags: '--check --list-different --no-error-on-unmatched-pattern',
      printsUnless: '--check --list-different --write -w',
      values: '--ignore-path --threads',
      configs: '-c --config',
      rewrites: '-w --write',
    }),
  ),
  ...createEntries(
    'shfmt gofmt goimports rustfmt',
    withOptions({
      flags: '-d -l -s -e --check -ci -bn -sr',
      printsUnless: '-l -w --check',
      values: '-i --edition -local -ln',
      rewrites: '-w --write',
      hasSingleDashOptions: true,
    }),
  ),
  rustfmt: withOptions({ flags: '--check', values: '--edition', folders: 'rewritten' }),
})
