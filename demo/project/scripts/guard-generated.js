// A hook: it gets the call as JSON and refuses, with exit code 2, to have generated files edited by hand.
let text = ''
for await (const part of process.stdin) text += part
const { tool_input: input } = JSON.parse(text)
if (/(^|\/)generated\//.test(input.file_path)) {
  console.error('generated/ is made by scripts/report.js: change that script instead.')
  process.exitCode = 2
}
