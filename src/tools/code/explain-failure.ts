import type { CodeEnd } from '../../contract/ports/interpreter.js'

/** Common programs, to recognise code that is a shell command. */
const PROGRAMS = new Set(
  'apt awk bash brew cargo cat cd chmod cp curl cut deno diff docker du echo env export file find gh git go grep head jq kill ls make mkdir mv node npm npx perl pip pip3 pnpm ps pwd pytest python python3 rg rm rsync ruby sed sh sort source sudo tail tar test touch tree tsc uv uvx wc wget which xargs yarn'.split(
    ' ',
  ),
)

interface FailureOptions {
  /** The time that the code itself could run. */
  readonly runMs: number
  /** What to say if the interpreter has ended. */
  readonly lossNote: string
}

/** Explains to the model what failed and what to do next. */
export function explainFailure(
  code: string,
  end: Exclude<CodeEnd, { type: 'value' }>,
  { runMs, lossNote }: FailureOptions,
): string {
  switch (end.type) {
    case 'thrown':
      return explainThrown(code, end)
    case 'limit':
      return explainLimit(end, runMs, lossNote)
    case 'stuck':
      return 'The code waits for a promise that nothing settles. Await only calls of tools and timers.'
    case 'crashed':
      return `The interpreter ended unexpectedly. ${lossNote}`
  }
}

function explainThrown(code: string, { name, message, stack }: Extract<CodeEnd, { type: 'thrown' }>): string {
  const text = `${name === '' ? 'Thrown' : name}: ${message}`
  const mayBeOtherLanguage = name === 'SyntaxError' || name === 'ReferenceError'
  if (mayBeOtherLanguage && isShellCommand(code)) {
    const [line = ''] = code.trim().split('\n')
    return `This is a shell command, not JavaScript. Use Bash, or run it from code: await tools.Bash({ command: ${JSON.stringify(line)} })\n(${text})`
  }
  if (name === 'SyntaxError' && isTypeScript(code))
    return `The code must be JavaScript, not TypeScript: remove type annotations, interfaces and "as". (${text}${formatPlace(stack)})`
  if (/^'?(require|process|fetch|Buffer|fs|module)'? is not defined/.test(message))
    return `${text}. The interpreter has no files, network or Node modules. Use tools, such as tools.Read or tools.Bash.`
  if (message.startsWith('could not load module'))
    return `${text}. Modules cannot be imported. Use tools, such as tools.Read or tools.Bash.`
  return `${text}${formatPlace(stack)}`
}

function explainLimit(
  { limit, isStateLost }: Extract<CodeEnd, { type: 'limit' }>,
  runMs: number,
  lossNote: string,
): string {
  const loss = isStateLost ? ` ${lossNote}` : ''
  if (limit === 'time')
    return `The code ran longer than ${runMs} ms and was stopped (time in tools does not count). Do less at once, or set timeout.${loss}`
  if (limit === 'memory') return `The code needs more memory than it may use. Keep less data at once.${loss}`
  return `The code waited too long for timers and was stopped. Use a tool that waits, such as Bash.${loss}`
}

/** Formats the first position in the model's code, such as ` (line 3, column 4)`; empty if there is none. */
function formatPlace(stack: string): string {
  const place = /\(?code\.js:(\d+):(\d+)\)?/.exec(stack)
  return place === null ? '' : ` (line ${place[1]}, column ${place[2]})`
}

function isShellCommand(code: string): boolean {
  const [line = ''] = code.trim().split('\n')
  const [, program = '', argumentText = ''] = /^(?:\$\s+)?(?:\w+=\S+\s+)*([\w./-]+)(.*)$/.exec(line) ?? []
  if (/^\s*[=(.;[]/.test(argumentText)) return false
  return PROGRAMS.has(program) || /^\.{0,2}\/[\w.-]/.test(program)
}

const TYPE_SIGNS =
  /\b(?:const|let|var)\s+[\w$]+\s*:\s*[\w$<>[\]{}|]+|^\s*(?:export\s+)?(?:interface|type)\s+\w+[\s\S]*?[{=]|\)\s*:\s*[\w$<>[\]|]+\s*(?:=>|\{)|\bas\s+(?:const|any|unknown|string|number|\w+\[\])|\(\s*[\w$]+\??\s*:\s*[\w$<>[\]|]+/m

function isTypeScript(code: string): boolean {
  return TYPE_SIGNS.test(code)
}
