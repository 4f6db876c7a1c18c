import { expect, test } from 'vitest'
import { describeChanges } from './snapshot-changes.mjs'

const LINES = Array.from({ length: 30 }, (_, index) => `    - listitem "Item ${index}" [ref=e${index + 10}]`)
const PAGE = ['- main [ref=e1]:', '  - heading "Cart: 0" [ref=e2]', '  - list [ref=e3]:', ...LINES].join('\n')

test('a change is shown under the lines that contain it', () => {
  const after = PAGE.replace('"Item 20"', '"Item twenty"')

  expect(describeChanges(PAGE, after)).toBe(
    [
      '  - main [ref=e1]:',
      '    - list [ref=e3]:',
      '-     - listitem "Item 20" [ref=e30]',
      '+     - listitem "Item twenty" [ref=e30]',
    ].join('\n'),
  )
})

test('elements that are gone are shown by their first line', () => {
  const dialog = ['  - dialog [ref=e90]:', '    - button "Yes" [ref=e91]', '    - button "No" [ref=e92]']

  expect(describeChanges([PAGE, ...dialog].join('\n'), PAGE)).toBe(
    ['  - main [ref=e1]:', '-   - dialog [ref=e90]: (and 2 lines below)'].join('\n'),
  )
})

test('moving the focus is no change', () => {
  expect(describeChanges(PAGE, PAGE.replace('"Item 3"', '"Item 3" [active]'))).toBe('')
  expect(describeChanges(PAGE, PAGE)).toBe('')
})

test('a new page is shown as a whole', () => {
  expect(describeChanges(PAGE, PAGE.replaceAll('=e', '=f2e'))).toBeUndefined()
})
