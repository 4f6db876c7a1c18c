// The architecture, as a table: a folder may import itself and the folders named here.
// ARCHITECTURE.md draws the same table; change both in one commit.
const MAY_IMPORT = {
  shared: [],
  system: ['shared'],
  contract: ['shared'],
  shell: ['contract', 'shared'],
  edits: ['shared'],
  // capabilities: each knows the contract and none knows another
  assembly: ['contract', 'shared'],
  hooks: ['contract', 'shared', 'system'],
  'tool-search': ['contract', 'shared'],
  results: ['contract', 'shared', 'system'],
  settings: ['contract', 'shared', 'system'],
  permissions: ['contract', 'shared', 'system', 'shell'],
  // the road of one call, then of many, then of a conversation
  calls: ['contract', 'shared', 'system', 'shell', 'permissions', 'hooks', 'results', 'tool-search'],
  session: [
    'contract',
    'shared',
    'system',
    'settings',
    'assembly',
    'permissions',
    'hooks',
    'tool-search',
    'results',
    'calls',
  ],
  // implementations of the contract
  tools: ['contract', 'shared', 'shell', 'edits'],
  ports: ['contract', 'shared', 'system', 'shell', 'edits'],
  mcp: ['contract', 'shared', 'system'],
  providers: ['contract', 'shared', 'system'],
  // connects all of the above, for importers of the library
  runtime: [
    'contract',
    'shared',
    'system',
    'shell',
    'assembly',
    'hooks',
    'tool-search',
    'results',
    'settings',
    'permissions',
    'calls',
    'tools',
    'ports',
    'mcp',
    'providers',
  ],
  // user interfaces: they observe a session and do not run tools (the host gives the inspector its workbench)
  views: ['contract', 'shared'],
  terminal: ['contract', 'shared', 'system', 'session', 'views'],
  acp: ['contract', 'shared', 'calls', 'session', 'views'],
  inspector: ['contract', 'shared', 'system', 'session', 'views'],
  // many machines: sessions whose record is a database
  fleet: ['contract', 'shared', 'system', 'session', 'views', 'runtime'],
}
const COMPOSITION_ROOTS = ['cli', 'sdk', 'api'] // may import anything; nothing else may import them
/** Parts of src/tools that tools share; every other folder there is one tool. */
const SHARED_TOOL_PARTS = '^src/tools/(code|editing|commands|documents|schedules|tasks|user-messages)/'
const TEST = '\\.test(-d)?\\.ts$'

const layerRules = Object.entries(MAY_IMPORT).map(([folder, allowed]) => ({
  name: `layer-${folder}`,
  severity: 'error',
  comment: `src/${folder} may import only: ${['itself', ...allowed].join(', ')}`,
  from: { path: `^src/${folder}/`, pathNot: TEST },
  to: { path: '^src/', pathNot: [folder, ...allowed].map((name) => `^src/${name}/`) },
}))

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...layerRules,
    {
      name: 'every-folder-is-in-the-table',
      severity: 'error',
      comment: 'a new folder starts as a row in MAY_IMPORT',
      from: {
        path: '^src/[^/]+/',
        pathNot: [...Object.keys(MAY_IMPORT), ...COMPOSITION_ROOTS, 'testing'].map((name) => `^src/${name}/`),
      },
      to: {},
    },
    { name: 'no-circular', severity: 'error', comment: 'type-only cycles count too', from: {}, to: { circular: true } },
    {
      name: 'roots-are-roots',
      severity: 'error',
      from: { pathNot: `^src/((${COMPOSITION_ROOTS.join('|')})/|index\\.ts$)` },
      to: { path: `^src/(${COMPOSITION_ROOTS.join('|')})/` },
    },
    {
      name: 'the-library-is-not-the-command-line',
      severity: 'error',
      comment: 'Only src/sdk connects the library with what the command line is made of.',
      from: { path: '^src/index\\.ts$' },
      to: { path: '^src/cli/' },
    },
    {
      name: 'tools-are-islands',
      severity: 'error',
      comment:
        'share through code, editing, commands, documents, schedules, tasks or user-messages, through a port or through src/shared; never through another tool',
      from: { path: '^src/tools/([^/]+)/' },
      to: { path: '^src/tools/[^/]+/', pathNot: ['^src/tools/$1/', SHARED_TOOL_PARTS] },
    },
    {
      name: 'io-only-through-ports',
      severity: 'error',
      comment: 'ask for a port in `needs` instead',
      from: {
        path: '^src/(shared|contract|shell|edits|assembly|permissions|tool-search|calls|tools)/',
        // Words of languages are a part of the package and read like code.
        pathNot: [TEST, '^src/tool-search/rank/words/load-lexicon\\.ts$'],
      },
      to: { path: '^(node:)?(fs|fs/promises|child_process|net|http|https)$' },
    },
    {
      name: 'contract-needs-only-zod',
      severity: 'error',
      from: { path: '^src/contract/', pathNot: TEST },
      to: { path: 'node_modules/', pathNot: 'node_modules/zod/' },
    },
    {
      name: 'fakes-stay-in-tests',
      severity: 'error',
      from: { path: '^src/', pathNot: [TEST, '^src/testing/', '^src/api/testing\\.ts$'] },
      to: { path: '^src/testing/' },
    },
    { name: 'tests-are-leaves', severity: 'error', from: {}, to: { path: TEST } },
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { extensions: ['.ts', '.js'] },
  },
}
