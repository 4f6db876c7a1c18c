import { expect, test } from 'vitest'
import type { ToolDefinition } from '../../contract/messages.js'
import { definitionTokens, estimateTokens } from './estimate-tokens.js'

const SEND =
  '{"name":"send_message","description":"Sends a message to a channel. Use it only when the user asked for a message to be sent.","input_schema":{"type":"object","properties":{"channel":{"type":"string","description":"Name or id of the channel, for example #general"},"text":{"type":"string","description":"The message in Markdown"},"threadTs":{"type":"string","description":"Timestamp of the message to reply to"}},"required":["channel","text"],"additionalProperties":false}}'
const LIST =
  '{"name":"listInvoices","description":"Lists the invoices of a customer, newest first.","input_schema":{"type":"object","properties":{"customerId":{"type":"integer","minimum":1},"status":{"type":"string","enum":["draft","open","paid","void"]},"limit":{"type":"integer","default":25,"maximum":100}},"required":["customerId"]}}'

/** The tokens that the o200k vocabulary has for it, and how far the estimate may be off. */
test.each([
  [SEND, 104, 0.1],
  [LIST, 76, 0.1],
  ['这个工具查询一个城市未来七天的天气预报，并返回温度和降水概率。', 21, 0.25],
  ['Gibt die Rechnungen eines Kunden zurück, die neuesten zuerst, höchstens fünfundzwanzig.', 21, 0.25],
])('%.40s… is estimated near what it is', (text, tokens, error) => {
  expect(Math.abs(estimateTokens(text) / tokens - 1)).toBeLessThanOrEqual(error)
})

test('nothing costs nothing', () => expect(estimateTokens(' \n')).toBe(0))

test('a definition is counted once', () => {
  let asked = 0
  const definition: ToolDefinition = {
    name: 'a',
    get description() {
      asked++
      return 'text'
    },
    input_schema: {},
  }

  expect(definitionTokens(definition)).toBe(definitionTokens(definition))
  expect(asked).toBe(1)
})

test('the mark of a deferred tool costs nothing', () => {
  const definition: ToolDefinition = { name: 'a', description: 'b', input_schema: {} }

  expect(definitionTokens({ ...definition, defer_loading: true })).toBe(definitionTokens(definition))
})
