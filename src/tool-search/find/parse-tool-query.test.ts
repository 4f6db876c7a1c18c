import { expect, test } from 'vitest'
import { parseToolQuery } from './parse-tool-query.js'

const select = (...names: string[]) => ({ type: 'select', names })
const words = (text: string, ...requiredWords: string[]) => ({ type: 'words', text, requiredWords: requiredWords })

test.each([
  ['select:Read,Edit,Grep', select('Read', 'Edit', 'Grep')],
  [' SELECT: Read , Edit,, ', select('Read', 'Edit')],
  ['select:Read,Read', select('Read')],
  ['select:"Read",`Edit`', select('Read', 'Edit')],
  ['select:', select()],
  ['notebook  jupyter ', words('notebook jupyter')],
  ['"Read"', words('Read')],
  ['+slack send', words('send', 'slack')],
  ['send +Slack message', words('send message', 'slack')],
  ['+slack', words('', 'slack')],
  ['+a +b c', words('c', 'a', 'b')],
  ['+a +A +a c', words('c', 'a')],
  ['c++ +', words('c++ +')],
  ['天气预报', words('天气预报')],
  ['', words('')],
])('the query %j is parsed as %j', (query, expectedQuery) => expect(parseToolQuery(query)).toEqual(expectedQuery))
