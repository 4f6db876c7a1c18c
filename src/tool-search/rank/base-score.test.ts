import { describe, expect, test } from 'vitest'
import { computeBaseScore, rankByBaseScore } from './base-score.js'

const createTool = (name: string, fields: { description?: string; searchHint?: string; isMcp?: boolean } = {}) => ({
  ...{ key: name, name, description: '' },
  ...fields,
})

describe('the base score', () => {
  test.each([
    ['a part of an MCP name', createTool('mcp__slack__post', { isMcp: true }), 'slack', 12],
    ['a part of another name', createTool('NotebookEdit'), 'notebook', 10],
    ['text within a part of an MCP name', createTool('mcp__slack__post', { isMcp: true }), 'lac', 6],
    ['text within a part of another name', createTool('NotebookEdit'), 'note', 5],
    ['the hint', createTool('Glob', { searchHint: 'find files' }), 'files', 4],
    ['the description', createTool('Glob', { description: 'Finds files' }), 'files', 2],
    ['name, hint and description', createTool('Glob', { searchHint: 'a glob', description: 'glob' }), 'GLOB', 16],
    ['no match', createTool('Glob', { description: 'Finds files' }), 'weather', 0],
  ])('has the specified points for %s', (_, candidate, query, score) => {
    expect(computeBaseScore(candidate, query)).toBe(score)
  })

  test('sums over the distinct words of the query', () => {
    expect(computeBaseScore(createTool('send_message', { isMcp: true }), 'send message send')).toBe(24)
  })

  test('splits names at underscores, dashes and capitals', () => {
    for (const name of ['mcp__my-server__readPDFFile', 'my_server_read_PDF_file'])
      for (const part of ['my', 'server', 'read', 'pdf', 'file'])
        expect(computeBaseScore(createTool(name), part)).toBe(10)
  })

  test('ranks tools best first, ties in insertion order, and omits tools without a score', () => {
    const tools = [
      createTool('b_read'),
      createTool('a_read'),
      createTool('write'),
      createTool('read_file', { description: 'read' }),
    ]
    expect(rankByBaseScore(tools, 'read', 2)).toEqual([
      { key: 'read_file', score: 12 },
      { key: 'b_read', score: 10 },
    ])
  })
})
