import { expect, test } from 'vitest'
import { foldersAbove } from './folders-above.js'

test.each([
  ['/a/b/c', ['/a/b', '/a', '']],
  ['/a', ['']],
  ['', []],
  ['thing:todo:list', []],
  ['thing:db:users/1', []],
  ['C:/a', ['C:']],
  ['//server/share', ['//server', '/', '']],
])('%j stands in %j', (key, folders) => {
  expect(foldersAbove(key)).toEqual(folders)
})
