import { join } from 'node:path'
import { evaluate } from '../build/evaluate.mjs'
import { root } from '../build/root.mjs'

/** @returns {Promise<Record<string, string>>} the text of each generated document by its path */
export async function generatedDocs() {
  const haft = await evaluate(join(root, 'src/index.ts'))
  const settings = await evaluate(join(root, 'src/settings/read/settings-json-schema.ts'))
  const { MODEL_FACTS } = await evaluate(join(root, 'src/providers/common/model-facts.ts'))
  const streams = await evaluate(join(root, 'src/cli/commands/print/schema/json-schemas.ts'))
  return {
    'schemas/settings.schema.json': jsonText(settings.settingsJSONSchema()),
    'schemas/stream-json-input.schema.json': jsonText(streams.inputJSONSchema()),
    'schemas/stream-json-output.schema.json': jsonText(streams.outputJSONSchema()),
    'docs/errors.md': errorsPage(haft),
    'docs/flags.md': flagsPage({ ...haft, ...(await evaluate(join(root, 'src/contract/build-flags.ts'))) }),
    'docs/model-facts.md': modelsPage(MODEL_FACTS),
    'docs/tools.md': toolsPage(haft),
  }
}

/** @param {unknown} value */
function jsonText(value) {
  return `${JSON.stringify(value, null, 2)}\n`
}

const NOTE = 'Made from the code by `npm run docs`.'

/** @param {any} haft */
function errorsPage(haft) {
  return page('Errors', [
    'A call that fails answers with a `ToolCallError`: the model reads its message, programs read its code.',
    table(['code', 'meaning'], rows(haft.TOOL_CALL_ERRORS)),
    'A definition that is wrong is refused with a `ToolDefinitionError`, which names the tool and the member.',
    table(['code', 'meaning'], rows(haft.TOOL_DEFINITION_ERRORS)),
  ])
}

/** @param {Record<string, string>} codes */
function rows(codes) {
  return Object.entries(codes).map(([code, meaning]) => [`\`${code}\``, meaning])
}

/** @param {Record<string, any>} facts */
function modelsPage(facts) {
  /** @param {number | undefined} number */
  const shown = (number) => (number === undefined ? '' : number.toLocaleString('en-US'))
  const models = Object.entries(facts).map(([id, { contextWindow, maxOutputTokens, prices = {}, ...rest }]) => [
    `\`${id}\``,
    shown(contextWindow),
    shown(maxOutputTokens),
    ...[prices.input, prices.output, prices.cacheRead, prices.cacheWrite].map(shown),
    rest.supportsDeferLoading === true ? 'yes' : '',
  ])
  return page('What is known of models', [
    'Tokens, and list prices in US dollars for a million of them, as their providers published them. A model without prices has none that are known; where only one of the cache is empty, it costs as much as input. `models` in the settings beats this table: [models.md](models.md).',
    table(['model', 'window', 'output', 'in', 'out', 'cache read', 'cache write', 'holds tools back'], models),
  ])
}

/** @param {any} haft */
function flagsPage(haft) {
  /** @param {Record<string, any>} flags */
  const flagRows = (flags) =>
    Object.entries(flags).map(([name, flag]) => [
      `\`${name}\``,
      unless(flag),
      list(flag.adds),
      list([...(flag.removes ?? []), ...(flag.replaces ?? [])]),
      flag.does,
    ])
  const head = ['flag', 'unless set', 'adds', 'removes', 'what it does']
  return page('Flags', [
    'Three gates decide which tools exist. The first is closed or open when Haft is built (`node scripts/build.mjs --with A,B --without C`): a part that is off is not in the bundle.',
    table(head, flagRows(haft.BUILD_FLAGS)),
    'The second is the environment, read once. A flag is switched by the variable of its name (`1` or `0`).',
    table(head, flagRows(haft.ENVIRONMENT_FLAGS)),
    'The third can change while the program runs, and is asked each time a pool is made; beside these flags each tool has its own `isEnabled`.',
    table(head, flagRows(haft.RUNTIME_FLAGS)),
  ])
}

/** @param {any} flag */
function unless(flag) {
  if (flag.defaultFrom?.platform) return `on where the platform is \`${flag.defaultFrom.platform}\``
  if (flag.defaultFrom?.flag) return `as \`${flag.defaultFrom.flag}\``
  return flag.default ? 'on' : 'off'
}

/** @param {any} haft */
function toolsPage(haft) {
  const toolRows = haft.builtInTools
    .map((/** @type {any} */ tool) => [
      `\`${tool.name}\``,
      tool.searchHint ?? '',
      haft.isDeferredTool(tool) ? 'deferred' : 'always',
      list(tool.needs ?? []),
    ])
    .sort()
  return page('Built-in tools', [
    '`haft tools show NAME` tells what a tool takes and what the model reads of it.',
    table(['tool', 'hint', 'loaded', 'needs'], toolRows),
  ])
}

/**
 * @param {string} title
 * @param {readonly string[]} parts
 */
function page(title, parts) {
  return `# ${title}\n\n${NOTE}\n\n${parts.join('\n\n')}\n`
}

/**
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} body
 */
function table(head, body) {
  return [head, head.map(() => '---'), ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** @param {readonly string[]} [names] */
function list(names = []) {
  return names.map((name) => `\`${name}\``).join(', ')
}
