import { expect, test } from 'vitest'
import { textOfLine } from '../../views/styled-line.js'
import type { InputEvent } from '../input/input-event.js'
import type { Dialog } from './dialog.js'
import { FormDialog } from './form-dialog.js'
import { PermissionDialog } from './permission-dialog.js'
import { QuestionDialog } from './question-dialog.js'

function press(dialog: Dialog, ...keys: readonly string[]): void {
  for (const key of keys) {
    const isText = key.length === 1
    const event: InputEvent = { type: 'key', key, ctrl: false, alt: false, shift: false, ...(isText && { text: key }) }
    dialog.handle(event)
  }
}

function type(dialog: Dialog, text: string): void {
  press(dialog, ...text)
}

const request = {
  title: 'Allow this?',
  preview: { type: 'code', text: 'rm -r build' } as const,
  reasons: ['it deletes files'],
  approvals: [
    { id: 'once', label: 'Yes, once' },
    { id: 'rule', label: 'Always: Bash(rm -r build)' },
  ],
  editableText: 'rm -r build',
}

test('numbers and arrows choose an approval', async () => {
  const byNumber = new PermissionDialog(request)
  press(byNumber, '2')
  expect(await byNumber.answer).toEqual({ behavior: 'allow', approval: 'rule' })

  const byArrow = new PermissionDialog(request)
  press(byArrow, 'down', 'down', 'enter')
  expect(await byArrow.answer).toEqual({ behavior: 'deny' })
})

test('a refusal may have a message for the model, and Escape refuses without one', async () => {
  const dialog = new PermissionDialog(request)
  press(dialog, '4')
  type(dialog, 'ask')
  press(dialog, 'enter')
  expect(await dialog.answer).toEqual({ behavior: 'deny', message: 'ask' })

  const cancelledDialog = new PermissionDialog(request)
  press(cancelledDialog, 'escape')
  expect(await cancelledDialog.answer).toEqual({ behavior: 'deny' })
})

test('the dialog shows the whole call, the reasons and the number of waiting questions', () => {
  const dialog = new PermissionDialog(request, () => 2)
  const text = dialog.render(60, 30).lines.map(textOfLine).join('\n')

  expect(text).toContain('rm -r build')
  expect(text).toContain('it deletes files')
  expect(text).toContain('2 more after this')
  for (const line of dialog.render(30, 20).lines) expect(textOfLine(line).length).toBeLessThanOrEqual(60)
})

test('questions are answered one after another, with one choice or several', async () => {
  const option = (label: string) => ({ label, description: '' })
  const dialog = new QuestionDialog([
    { question: 'Which?', header: 'Which', options: [option('A'), option('B')], multiSelect: false },
    { question: 'What else?', header: 'Else', options: [option('C'), option('D')], multiSelect: true },
  ])
  press(dialog, '2', '1', '2', 'enter')
  expect(await dialog.answer).toEqual([
    { question: 'Which?', chosen: ['B'] },
    { question: 'What else?', chosen: ['C', 'D'] },
  ])
})

test('a form checks its fields and sends typed values', async () => {
  const schema = {
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 1 }, color: { enum: ['red', 'blue'] } },
    required: ['name', 'age'],
  }
  const dialog = new FormDialog({ serverName: 'office', message: 'Who are you?', schema } as never)
  type(dialog, 'Ann')
  press(dialog, 'enter')
  type(dialog, '0')
  press(dialog, 'enter')
  expect(dialog.render(60).lines.map(textOfLine).join('\n')).toContain('Use at least 1.')
  press(dialog, 'backspace', '7', 'enter', '2', '1')
  expect(await dialog.answer).toEqual({ action: 'accept', content: { name: 'Ann', age: 7, color: 'blue' } })
})

test('optional fields of a form can be left without an answer', async () => {
  const schema = { type: 'object', properties: { agrees: { type: 'boolean' }, color: { enum: ['red', 'blue'] } } }
  const dialog = new FormDialog({ serverName: 'office', message: 'Who are you?', schema } as never)
  expect(dialog.render(60).lines.map(textOfLine).join('\n')).toContain('3 No answer')
  press(dialog, '3', '3', '1')
  expect(await dialog.answer).toEqual({ action: 'accept', content: {} })
})
