import { expect, test } from 'vitest'
import { parseToolQuery } from './parse-tool-query.js'

const createSelectQuery = (...names: string[]) => ({ type: 'select', names })
const createWordsQuery = (text: string, ...requiredWords: string[]) => ({
  type: 'words',
  text,
  requiredWords: requiredWords,
})

test.each([
  ['select:Read,Edit,Grep', createSelectQuery('Read', 'Edit', 'Grep')],
  [' SELECT: Read , Edit,, ', createSelectQuery('Read', 'Edit')],
  ['select:Read,Read', createSelectQuery('Read')],
  ['select:"Read",`Edit`', createSelectQuery('Read', 'Edit')],
  ['select:', createSelectQuery()],
  ['notebook  jupyter ', createWordsQuery('notebook jupyter')],
  ['"Read"', createWordsQuery('Read')],
  ['+slack send', createWordsQuery('send', 'slack')],
  ['send +Slack message', createWordsQuery('send message', 'slack')],
  ['+slack', createWordsQuery('', 'slack')],
  ['+a +b c', createWordsQuery('c', 'a', 'b')],
  ['+a +A +a c', createWordsQuery('c', 'a')],
  ['c++ +', createWordsQuery('c++ +')],
  ['天气预报', createWordsQuery('天气预报')],
  ['', createWordsQuery('')],
])('the query %j is parsed as %j', (query, expectedQuery) => expect(parseToolQuery(query)).toEqual(expectedQuery))
