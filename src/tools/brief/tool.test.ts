import { expect, test } from 'vitest'
import { describeCall } from '../../views/call-view.js'
import { renderPlainText } from '../../views/plain-text.js'
import { BriefTool } from './tool.js'

test('every surface that shows calls shows the whole message and the paths of its files', () => {
  const output = { message: 'The build is red.', files: [{ path: '/project/report.md', bytes: 9 }] }
  const { title, body, isHidden } = describeCall(
    { toolName: 'Brief', tool: BriefTool, state: 'done', input: { message: output.message }, output },
    { verbose: false },
  )

  expect(title).toMatchObject({ children: [{ text: 'Message', bold: true, tone: 'accent' }] })
  expect(renderPlainText(body ?? '')).toBe('The build is red.\n/project/report.md')
  expect(isHidden).toBe(false)
})
