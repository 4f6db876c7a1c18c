import { expect, test } from 'vitest'
import type { ToolDefinition } from '../../contract/messages.js'
import { estimateDefinitionTokens, estimateTokens } from './estimate-tokens.js'

const SEND_DEFINITION =
  '{"name":"send_message","description":"Sends a message to a channel. Use it only when the user asked for a message to be sent.","input_schema":{"type":"object","properties":{"channel":{"type":"string","description":"Name or id of the channel, for example #general"},"text":{"type":"string","description":"The message in Markdown"},"threadTs":{"type":"string","description":"Timestamp of the message to reply to"}},"required":["channel","text"],"additionalProperties":false}}'
const LIST_DEFINITION =
  '{"name":"listInvoices","description":"Lists the invoices of a customer, newest first.","input_schema":{"type":"object","properties":{"customerId":{"type":"integer","minimum":1},"status":{"type":"string","enum":["draft","open","paid","void"]},"limit":{"type":"integer","default":25,"maximum":100}},"required":["customerId"]}}'

/** Each row: a text, its number of tokens in the o200k vocabulary, and the allowed relative error. */
test.each([
  [SEND_DEFINITION, 104, 0.1],
  [LIST_DEFINITION, 76, 0.1],
  ['这个工具查询一个城市未来七天的天气预报，并返回温度和降水概率。', 21, 0.25],
  ['Gibt die Rechnungen eines Kunden zurück, die neuesten zuerst, höchstens fünfundzwanzig.', 21, 0.25],
])('the estimate for %.40s… is close to the real number of tokens', (text, tokens, error) => {
  expect(Math.abs(estimateTokens(text) / tokens - 1)).toBeLessThanOrEqual(error)
})

test('blank text has no tokens', () => expect(estimateTokens(' \n')).toBe(0))

test('the tokens of a definition are counted once', () => {
  let readCount = 0
  const definition: ToolDefinition = {
    name: 'a',
    get description() {
      readCount++
      return 'text'
    },
    input_schema: {},
  }

  expect(estimateDefinitionTokens(definition)).toBe(estimateDefinitionTokens(definition))
  expect(readCount).toBe(1)
})

test('the defer_loading field is not counted', () => {
  const definition: ToolDefinition = { name: 'a', description: 'b', input_schema: {} }

  expect(estimateDefinitionTokens({ ...definition, defer_loading: true })).toBe(estimateDefinitionTokens(definition))
})
