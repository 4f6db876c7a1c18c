// A hook: it receives the call as JSON and blocks edits of generated files with exit code 2.
let text = ''
for await (const part of process.stdin) text += part
const { tool_input: input } = JSON.parse(text)
if (/(^|\/)generated\//.test(input.file_path)) {
  console.error('generated/ is created by scripts/report.js: change that script instead.')
  process.exitCode = 2
}
