import { join } from 'node:path'
import { evaluate } from '../build/evaluate.mjs'
import { createFeaturePlugin, readFeatures } from '../build/features.mjs'
import { root } from '../build/root.mjs'

/** @returns {Promise<Record<string, string>>} the text of each generated document by its path */
export async function generateDocs() {
  const haft = await evaluate(join(root, 'src/index.ts'))
  const { isDeferredTool } = await evaluate(join(root, 'src/contract/tool/deferred-tools.ts'))
  const flags = await evaluate(join(root, 'src/contract/flags.ts'))
  const settings = await evaluate(join(root, 'src/settings/read/settings-json-schema.ts'))
  const { MODEL_FACTS } = await evaluate(join(root, 'src/providers/common/model-facts.ts'))
  const streams = await evaluate(join(root, 'src/cli/stream-json/schema/json-schemas.ts'))
  return {
    'schemas/settings.schema.json': formatJson(settings.createSettingsJSONSchema()),
    'schemas/stream-json-input.schema.json': formatJson(streams.createInputJSONSchema()),
    'schemas/stream-json-output.schema.json': formatJson(streams.createOutputJSONSchema()),
    'docs/errors.md': renderErrorsPage(haft),
    'docs/flags.md': renderFlagsPage(
      { ...flags, ...(await evaluate(join(root, 'src/contract/build-flags.ts'))) },
      await createPoolReader(),
    ),
    'docs/model-facts.md': renderModelsPage(MODEL_FACTS),
    'docs/tools.md': renderToolsPage(haft.builtInTools, isDeferredTool),
  }
}

/** @param {unknown} value */
function formatJson(value) {
  return `${JSON.stringify(value, null, 2)}\n`
}

const GENERATED_NOTE = 'Generated from the code by `npm run docs`.'

/** @param {any} haft */
function renderErrorsPage(haft) {
  return renderPage('Errors', [
    'A failed call results in a `ToolCallError`: the model reads its message, programs read its code.',
    renderTable(['code', 'meaning'], createCodeRows(haft.TOOL_CALL_ERRORS)),
    'An invalid tool definition throws a `ToolDefinitionError`, which names the tool and the member.',
    renderTable(['code', 'meaning'], createCodeRows(haft.TOOL_DEFINITION_ERRORS)),
  ])
}

/** @param {Record<string, string>} codes */
function createCodeRows(codes) {
  return Object.entries(codes).map(([code, meaning]) => [`\`${code}\``, meaning])
}

/** @param {Record<string, any>} facts */
function renderModelsPage(facts) {
  /** @param {number | undefined} number */
  const format = (number) => (number === undefined ? '' : number.toLocaleString('en-US'))
  const models = Object.entries(facts).map(([id, { contextWindow, maxOutputTokens, prices = {}, ...rest }]) => [
    `\`${id}\``,
    format(contextWindow),
    format(maxOutputTokens),
    ...[prices.input, prices.output, prices.cacheRead, prices.cacheWrite].map(format),
    rest.supportsDeferLoading === true ? 'yes' : '',
  ])
  return renderPage('Model facts', [
    'Token limits, and list prices in US dollars for a million tokens, as published by the providers. An empty price is unknown; an empty cache price equals the input price. The setting `models` overrides this table: [models.md](models.md).',
    renderTable(['model', 'window', 'output', 'in', 'out', 'cache read', 'cache write', 'defers tools'], models),
  ])
}

/**
 * Reads the pool of a build with all features.
 * @returns {Promise<(variables: Record<string, string>) => readonly string[]>}
 */
async function createPoolReader() {
  const plugins = [createFeaturePlugin(await readFeatures({ on: Object.keys(await readFeatures()) }))]
  const { builtInTools } = await evaluate(join(root, 'src/tools/index.ts'), plugins)
  const { createAssembly } = await evaluate(join(root, 'src/assembly/create-assembly.ts'))
  const { readEnvironment } = await evaluate(join(root, 'src/assembly/read-environment.ts'))
  return (variables) => {
    const { environment } = readEnvironment(variables, 'linux')
    const assembly = createAssembly({ baseTools: builtInTools, env: environment, isInstalled: () => true })
    const pool = assembly.assembleToolPool({ alwaysDenyRules: Object.freeze({}) }, [])
    return pool.map((/** @type {any} */ { name }) => name)
  }
}

/**
 * A flag that only adds tools is left out until one of them exists.
 * @param {any} tables
 * @param {(variables: Record<string, string>) => readonly string[]} readPool
 */
function renderFlagsPage(tables, readPool) {
  /** @param {string} name @param {any} flag */
  const hasEffect = (name, flag) => {
    if (flag.adds === undefined) return true
    const [off, on] = ['0', '1'].map((value) => readPool({ ...ALL_TOOLS, [name]: value }).join())
    return on !== off || listExisting(flag.adds).length > 0
  }
  const allTools = new Set(['0', '1'].flatMap((value) => readPool({ ...ALL_TOOLS, HAFT_TASK_LIST_V2: value })))
  /** @param {readonly string[]} [names] */
  const listExisting = (names = []) => names.filter((name) => allTools.has(name))
  /** @param {Record<string, any>} flags */
  const createFlagRows = (flags) =>
    Object.entries(flags)
      .filter(([name, flag]) => hasEffect(name, flag))
      .map(([name, flag]) => [
        `\`${name}\``,
        describeDefault(flag),
        formatCodeList(listExisting(flag.adds)),
        formatCodeList(listExisting([...(flag.removes ?? []), ...(flag.replaces ?? [])])),
        flag.description,
      ])
  const headers = ['flag', 'default', 'adds', 'removes', 'effect']
  return renderPage('Flags', [
    'Three kinds of flags decide which tools exist. Build flags are set when Haft is built (`node scripts/build.mjs --with A,B --without C`): disabled code is not in the bundle.',
    renderTable(headers, createFlagRows(tables.BUILD_FLAGS)),
    'Environment flags are read once, from the variable of the same name (`1` or `0`).',
    renderTable(headers, createFlagRows(tables.ENVIRONMENT_FLAGS)),
    'Runtime flags can change while the program runs, and are read each time the tool pool is assembled. Each tool also has its own `isEnabled`.',
    renderTable(headers, createFlagRows(tables.RUNTIME_FLAGS)),
  ])
}

/** Flags with which every tool is in a pool, except for those that replace each other. */
const ALL_TOOLS = { HAFT_INTERNAL: '1', HAFT_REPL_MODE: '0', HAFT_POWERSHELL: '1' }

/** @param {any} flag */
function describeDefault(flag) {
  if (flag.defaultFrom?.platform) return `on if the platform is \`${flag.defaultFrom.platform}\``
  if (flag.defaultFrom?.flag) return `same as \`${flag.defaultFrom.flag}\``
  return flag.default ? 'on' : 'off'
}

/**
 * @param {any} builtInTools
 * @param {(tool: any) => boolean} isDeferredTool
 */
function renderToolsPage(builtInTools, isDeferredTool) {
  const toolRows = builtInTools
    .map((/** @type {any} */ tool) => [
      `\`${tool.name}\``,
      tool.searchHint ?? '',
      isDeferredTool(tool) ? 'deferred' : 'always',
      formatCodeList(tool.needs ?? []),
    ])
    .sort()
  return renderPage('Built-in tools', [
    '`haft tools show NAME` shows the input of a tool and the description that the model reads.',
    renderTable(['tool', 'hint', 'loaded', 'needs'], toolRows),
  ])
}

/**
 * @param {string} title
 * @param {readonly string[]} parts
 */
function renderPage(title, parts) {
  return `# ${title}\n\n${GENERATED_NOTE}\n\n${parts.join('\n\n')}\n`
}

/**
 * @param {readonly string[]} headers
 * @param {readonly (readonly string[])[]} body
 */
function renderTable(headers, body) {
  return [headers, headers.map(() => '---'), ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** @param {readonly string[]} [names] */
function formatCodeList(names = []) {
  return names.map((name) => `\`${name}\``).join(', ')
}
