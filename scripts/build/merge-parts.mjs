import { rmSync, writeFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { rollup } from 'rollup'
import { root } from './root.mjs'

/** Entry points of the commands whose start-up time matters, and modules that every `haft -p` loads. */
const COMMANDS = [
  'src/cli/commands/call/run-call.ts',
  'src/cli/commands/print/run-print.ts',
  'src/providers/anthropic/create-anthropic-model.ts',
  'src/session/agents/load-agent-kinds.ts',
  'src/session/instructions/load-instructions.ts',
  'src/session/skills/load-skills.ts',
]
/** Modules that are loaded later; those of one entry are loaded together. */
const LAZY_MODULES = {
  anthropic: ['src/providers/anthropic/anthropic-client.ts'],
  files: [
    'src/tools/read/read-file.ts',
    'src/ports/files/create-files.ts',
    'src/ports/checkpoints/create-checkpoints.ts',
  ],
  shell: ['src/ports/shell/create-shell-port.ts', 'src/ports/sandbox/create-sandbox.ts'],
}
/** The module that draws the first prompt of the terminal, before any other module is loaded. */
const FIRST_PROMPT = ['src/cli/commands/interactive/run-interactive.ts']
/** The module that every command loads. It and everything that it loads become one file, so that `haft --version` opens no other. */
const MAIN = 'src/cli/main.ts'
/** Modules whose parts are not merged with commands, because every command, or one that must start fast, loads them. */
const SMALL_MODULES = ['src/cli/io/process-host.ts', 'src/cli/commands/tools/run-tools.ts']

/**
 * Merges the parts of the command line that are always loaded together: esbuild splits code at every boundary between
 * lazy parts, and opening 80 small files takes longer than reading one.
 * @param {{ metafile: import('esbuild').Metafile, outdir: string, hasAllTools?: boolean }} options
 *   `hasAllTools` is false for a build with another list of tools, which may lack some of the modules named above
 */
export async function mergeParts({ metafile, outdir, hasAllTools = true }) {
  const mainPath = resolve(root, outdir, 'main.js')
  await writeMerged({
    input: [mainPath],
    groups: createCommandGroups(metafile, hasAllTools),
    outdir,
    outputOptions: COMMON_JS,
  })
  rmSync(mainPath)
  writeFileSync(resolve(root, outdir, 'parts', IMPORT_MODULE), IMPORT_MODULE_SOURCE)
}

/** Subpaths that must stay small: they do not load code that `haft` shares only with larger subpaths. */
const SMALL_SUBPATHS = ['ai', 'anthropic', 'hooks', 'openai', 'permissions', 'ports', 'testing']

/**
 * Merges the parts of the library that are loaded by the same subpaths: fewer files, and subpaths load little more
 * than they need. The code that `haft` shares with other subpaths becomes only two files instead of one for each combination of
 * subpaths, because `haft` loads all of it.
 * @param {{ metafile: import('esbuild').Metafile, outdir: string, entryPoints: Readonly<Record<string, string>> }}
 * options
 */
export async function mergeLibraryParts({ metafile, outdir, entryPoints }) {
  const input = Object.keys(entryPoints).map((name) => resolve(root, outdir, `${name}.js`))
  /** @type {Map<string, string[]>} */
  const loadedBy = new Map()
  for (const [name, entryPoint] of Object.entries(entryPoints)) {
    for (const file of collectFilesLoadedBy(metafile, [relative(root, entryPoint)])) {
      if (!input.includes(file)) loadedBy.set(file, [...(loadedBy.get(file) ?? []), name])
    }
  }
  const groups = new Map([...loadedBy].map(([file, names]) => [file, chooseLibraryGroup(names)]))
  await writeMerged({ input, groups, outdir })
}

/** @param {readonly string[]} loadedBy the subpaths that load a part; `index` is `haft` */
function chooseLibraryGroup(loadedBy) {
  if (!loadedBy.includes('index') || loadedBy.length === 1) return ['of', ...loadedBy].join('-')
  return loadedBy.some((name) => SMALL_SUBPATHS.includes(name)) ? 'shared-small' : 'shared'
}

/**
 * Wraps every part in a function expression with the parameters of a CommonJS module, which `bin/haft` calls. Adding
 * the wrapper at run time would copy the whole source text.
 */
const [PART_HEAD, PART_FOOT] = ['(function(exports,require,module,__filename,__dirname){', '\n})']

/**
 * The command line is CommonJS, because Node 20 can use cached code only for scripts, not for modules.
 * @type {import('rollup').OutputOptions}
 */
const COMMON_JS = {
  format: 'cjs',
  dynamicImportInCjs: false,
  // As in Node, `module.exports` of a CommonJS module is its default export.
  interop: 'default',
  externalLiveBindings: false,
  freeze: false,
  banner: PART_HEAD,
  footer: PART_FOOT,
}

/** The only file that imports modules whose name is known only at run time. `bin/haft` loads it with Node's `require`. */
const IMPORT_MODULE = 'import-module.cjs'
const IMPORT_MODULE_SOURCE = `'use strict';module.exports=(url)=>import(url);\n`

/** @type {import('rollup').Plugin} */
const importModulePlugin = {
  name: 'import-module',
  renderDynamicImport: ({ format, targetModuleId }) =>
    format === 'cjs' && targetModuleId === null ? { left: `require('./${IMPORT_MODULE}')(`, right: ')' } : null,
}

/**
 * Escapes all non-ASCII characters: a single one makes V8 store the whole source text with two bytes per character. An
 * escape has the same meaning in a string and in a regular expression, even one that is written with `String.raw`.
 * @type {import('rollup').Plugin}
 */
const asciiPlugin = {
  name: 'ascii',
  renderChunk(code) {
    if (/\\[\u0080-\uffff]/.test(code))
      throw new Error('The bundle has a backslash before a non-ASCII character, which cannot be escaped; remove it.')
    const escapeCharacter = (/** @type {string} */ character) =>
      `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
    return { code: code.replace(/[\u0080-\uffff]/g, escapeCharacter), map: null }
  },
}

/**
 * @param {{ input: string[], groups: ReadonlyMap<string, string>, outdir: string, outputOptions?: import('rollup').OutputOptions
 * }} options
 */
async function writeMerged({ input, groups, outdir, outputOptions = { format: 'es' } }) {
  const extension = outputOptions.format === 'cjs' ? 'cjs' : 'js'
  const bundle = await rollup({
    input,
    external: (id) => !id.startsWith('.') && !id.startsWith('/') && !/^[A-Za-z]:/.test(id),
    // esbuild has already dropped dead code.
    treeshake: false,
    plugins: [importModulePlugin, asciiPlugin],
    onwarn: (warning, warn) => warning.code === 'UNUSED_EXTERNAL_IMPORT' || warn(warning),
  })
  rmSync(resolve(root, outdir, 'parts'), { recursive: true })
  await bundle.write({
    ...outputOptions,
    dir: resolve(root, outdir),
    compact: true,
    entryFileNames: `[name].${extension}`,
    hoistTransitiveImports: false,
    chunkFileNames: ({ name }) => `parts/${name.replace(/-[0-9A-Z]{8}$/, '')}-[hash].${extension}`,
    // Otherwise rollup also moves the dependencies of a merged part, such as the small parts of other commands.
    onlyExplicitManualChunks: true,
    manualChunks: (id) => groups.get(id),
  })
  await bundle.close()
}

/**
 * Maps each part that is merged to the name of its file; the others stay separate.
 * @param {import('esbuild').Metafile} metafile
 * @param {boolean} hasAllTools
 */
function createCommandGroups(metafile, hasAllTools) {
  const groups = new Map([...collectFilesLoadedBy(metafile, COMMANDS)].map((file) => [file, 'commands']))
  const lazyGroups = Object.entries(LAZY_MODULES).map(([name, entryPoints]) => ({
    name,
    files: collectFilesLoadedBy(metafile, entryPoints, hasAllTools),
  }))
  for (const { name, files } of lazyGroups) {
    for (const file of files) {
      // A part that two groups need stays separate: one group must not load the other.
      const isShared = lazyGroups.some((other) => other.name !== name && other.files.has(file))
      if (!groups.has(file) && !isShared) groups.set(file, name)
    }
  }
  // The code that the first prompt shares with commands becomes a part of its own, so that neither loads the other.
  const promptFiles = collectFilesLoadedBy(metafile, FIRST_PROMPT)
  for (const file of promptFiles) groups.set(file, groups.has(file) ? 'prompt-shared' : 'prompt')
  for (const file of collectFilesLoadedBy(metafile, SMALL_MODULES)) {
    if (promptFiles.has(file)) groups.set(file, 'shared')
    else groups.delete(file)
  }
  for (const file of collectFilesLoadedBy(metafile, [MAIN])) groups.set(file, 'main')
  return groups
}

/**
 * Returns the files of entry points and of their static imports, including indirect ones.
 * @param {import('esbuild').Metafile} metafile
 * @param {readonly string[]} entryPoints
 */
function collectFilesLoadedBy({ outputs }, entryPoints, mustExist = true) {
  const entryOutputs = Object.keys(outputs).filter((path) => entryPoints.includes(outputs[path]?.entryPoint ?? ''))
  const foundEntryPoints = entryOutputs.map((path) => outputs[path]?.entryPoint)
  const missingEntryPoints = entryPoints.filter((entry) => !foundEntryPoints.includes(entry))
  if (mustExist && missingEntryPoints.length > 0)
    throw new Error(
      `${missingEntryPoints.join(', ')}: not a separate part, because it is not imported, or not only by import(). Correct the list in merge-parts.mjs.`,
    )
  const files = new Set()
  const pendingOutputs = [...entryOutputs]
  for (let path = pendingOutputs.pop(); path !== undefined; path = pendingOutputs.pop()) {
    const file = resolve(root, path)
    if (files.has(file)) continue
    files.add(file)
    for (const { path: next, kind, external } of outputs[path]?.imports ?? [])
      if (kind === 'import-statement' && external !== true) pendingOutputs.push(next)
  }
  return files
}
