import { rmSync, writeFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { rollup } from 'rollup'
import { root } from './root.mjs'

/** Commands whose start counts, with what `haft -p` loads whatever it is asked. */
const COMMANDS = [
  'src/cli/commands/call/run-call.ts',
  'src/cli/commands/print/run-print.ts',
  'src/providers/anthropic/create-anthropic-model.ts',
  'src/session/agents/load-agent-kinds.ts',
  'src/session/instructions/load-instructions.ts',
  'src/session/skills/load-skills.ts',
]
/** What is loaded later, and then together. */
const LATER = {
  anthropic: ['src/providers/anthropic/anthropic-client.ts'],
  files: [
    'src/tools/read/read-file.ts',
    'src/ports/files/create-files.ts',
    'src/ports/checkpoints/create-checkpoints.ts',
  ],
  shell: ['src/ports/shell/create-shell-port.ts', 'src/ports/sandbox/create-sandbox.ts'],
}
/** Commands that must stay small: what they need stays apart. */
const APART = ['src/cli/main.ts', 'src/cli/commands/tools/run-tools.ts']

/**
 * Joins the parts of the command line that are always loaded together: esbuild cuts code at every border between lazy
 * parts, and opening 80 small files takes longer than reading one.
 * @param {{ metafile: import('esbuild').Metafile, outdir: string }} options
 */
export async function mergeParts({ metafile, outdir }) {
  const input = [resolve(root, outdir, 'main.js')]
  await writeMerged({ input, groups: groupsOf(metafile), outdir, form: COMMON_JS })
  for (const file of input) rmSync(file)
  writeFileSync(resolve(root, outdir, 'parts', IMPORT_MODULE), IMPORTING)
}

/**
 * Joins the parts of the library that the same subpaths load: who imports one gets nothing more, in fewer files.
 * @param {{ metafile: import('esbuild').Metafile, outdir: string, entryPoints: Readonly<Record<string, string>> }} options
 */
export async function mergeLibraryParts({ metafile, outdir, entryPoints }) {
  const input = Object.keys(entryPoints).map((name) => resolve(root, outdir, `${name}.js`))
  /** @type {Map<string, string>} */
  const groups = new Map()
  for (const [name, entryPoint] of Object.entries(entryPoints)) {
    for (const file of loadedBy(metafile, [relative(root, entryPoint)])) {
      if (!input.includes(file)) groups.set(file, [groups.get(file) ?? 'of', name].join('-'))
    }
  }
  await writeMerged({ input, groups, outdir })
}

/** What Node puts around each module. To put it there when the module is loaded copies the whole text. */
const [PART_HEAD, PART_FOOT] = ['(function(exports,require,module,__filename,__dirname){', '\n})']

/**
 * The command line is loaded by `require`: what was made of its code can then be kept, on Node 20, too.
 * @type {import('rollup').OutputOptions}
 */
const COMMON_JS = {
  format: 'cjs',
  dynamicImportInCjs: false,
  // As Node itself sees it.
  interop: 'default',
  externalLiveBindings: false,
  freeze: false,
  banner: PART_HEAD,
  footer: PART_FOOT,
}

/** The one file that imports modules whose names are known only when it runs. */
const IMPORT_MODULE = 'import-module.cjs'
const IMPORTING = `'use strict';module.exports=(url)=>import(url);\n`

/** @type {import('rollup').Plugin} */
const importModulePlugin = {
  name: 'import-module',
  renderDynamicImport: ({ format, targetModuleId }) =>
    format === 'cjs' && targetModuleId === null ? { left: `require('./${IMPORT_MODULE}')(`, right: ')' } : null,
}

/**
 * One other character makes V8 keep the whole text of a file with two bytes for each. Escaped, it means the same in a
 * string and in a regular expression, also in one that `String.raw` writes down.
 * @type {import('rollup').Plugin}
 */
const asciiPlugin = {
  name: 'ascii',
  renderChunk(code) {
    if (/\\[\u0080-\uffff]/.test(code)) throw new Error('A backslash before such a sign would undo its escape.')
    const escaped = (/** @type {string} */ sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
    return { code: code.replace(/[\u0080-\uffff]/g, escaped), map: null }
  },
}

/** @param {{ input: string[], groups: ReadonlyMap<string, string>, outdir: string, form?: import('rollup').OutputOptions }} options */
async function writeMerged({ input, groups, outdir, form = { format: 'es' } }) {
  const extension = form.format === 'cjs' ? 'cjs' : 'js'
  const bundle = await rollup({
    input,
    external: (id) => !id.startsWith('.') && !id.startsWith('/') && !/^[A-Za-z]:/.test(id),
    // The parts hold no dead code: esbuild has dropped it.
    treeshake: false,
    plugins: [importModulePlugin, asciiPlugin],
    onwarn: (warning, warn) => warning.code === 'UNUSED_EXTERNAL_IMPORT' || warn(warning),
  })
  rmSync(resolve(root, outdir, 'parts'), { recursive: true })
  await bundle.write({
    ...form,
    dir: resolve(root, outdir),
    compact: true,
    entryFileNames: `[name].${extension}`,
    hoistTransitiveImports: false,
    chunkFileNames: ({ name }) => `parts/${name.replace(/-[0-9A-Z]{8}$/, '')}-[hash].${extension}`,
    // Else it takes along whatever the merged parts need, the small ones of other commands, too.
    onlyExplicitManualChunks: true,
    manualChunks: (id) => groups.get(id),
  })
  await bundle.close()
}

/**
 * The name of the file that each part goes to; the others stay as they are.
 * @param {import('esbuild').Metafile} metafile
 */
function groupsOf(metafile) {
  const apart = loadedBy(metafile, APART)
  const groups = new Map([...loadedBy(metafile, COMMANDS)].map((file) => [file, 'commands']))
  const later = Object.entries(LATER).map(([name, parts]) => ({ name, files: loadedBy(metafile, parts) }))
  for (const { name, files } of later) {
    for (const file of files) {
      // What two of them need would bring the one along with the other.
      const isShared = later.some((other) => other.name !== name && other.files.has(file))
      if (!groups.has(file) && !isShared) groups.set(file, name)
    }
  }
  for (const file of apart) groups.delete(file)
  return groups
}

/**
 * The files that entry points load before they do anything.
 * @param {import('esbuild').Metafile} metafile
 * @param {readonly string[]} entryPoints
 */
function loadedBy({ outputs }, entryPoints) {
  const starts = Object.keys(outputs).filter((path) => entryPoints.includes(outputs[path]?.entryPoint ?? ''))
  const known = starts.map((path) => outputs[path]?.entryPoint)
  const missing = entryPoints.filter((entry) => !known.includes(entry))
  if (missing.length > 0) throw new Error(`${missing.join(', ')} is loaded by nobody, or not only when it is used.`)
  const files = new Set()
  const pending = [...starts]
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    const file = resolve(root, path)
    if (files.has(file)) continue
    files.add(file)
    for (const { path: next, kind, external } of outputs[path]?.imports ?? [])
      if (kind === 'import-statement' && external !== true) pending.push(next)
  }
  return files
}
