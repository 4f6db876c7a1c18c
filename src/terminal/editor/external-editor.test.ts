import { expect, test } from 'vitest'
import { editExternally, readEditorCommand } from './external-editor.js'

test('VISUAL takes precedence over EDITOR, and vi is the default', () => {
  expect(readEditorCommand({ VISUAL: 'code --wait', EDITOR: 'nano' })).toBe('code --wait')
  expect(readEditorCommand({ VISUAL: ' ', EDITOR: 'nano' })).toBe('nano')
  expect(readEditorCommand({})).toBe('vi')
})

test('the text that the editor has saved is returned, without the line break at its end', async () => {
  const EDITOR = `sh -c 'printf "%s, edited\\n" "$(cat "$1")" > "$1.new" && mv "$1.new" "$1"' sh`
  expect(await editExternally('a prompt\nof two lines', { EDITOR })).toBe('a prompt\nof two lines, edited')
})

test('the text is not changed if the editor fails', async () => {
  expect(await editExternally('a prompt', { EDITOR: 'false' })).toBeUndefined()
})
