import type { PromptOptions } from '../../contract/tool/tool.js'

const INTRODUCTION = `Runs JavaScript in which every tool is an async function. Use it for work with many calls, or whose results you only need in part: loop over files or records, filter, join and count in code, and print what matters. You see only what the code prints and the value of its last expression.

- await tools.Read({ file_path: "a.ts" }): calls a tool with its usual input. The result is data, not text; Promise.all runs calls in parallel. A failed or denied call throws an Error with code and message.
- tools.list(), tools.search("words"): names and hints of all tools, including those of MCP servers and deferred ones. tools.describe("Name"): its declaration in TypeScript. All return promises. Names that are not identifiers: tools["a-b"].
- console.log(…) and text(…) print. image(result) shows an image, such as the result of tools.Read for one.
- Top-level variables and functions are kept for the next call. store(key, value) and load(key) keep data even if the interpreter is restarted. reset: true starts over.
- Plain JavaScript with top-level await; no TypeScript, imports, files, network or Node APIs: use tools for these. setTimeout exists.
- Each call of a tool is checked like one of yours: rules, hooks and the user may deny it.
- timeout limits the time that the code itself runs; time in tools does not count.`

const RESULTS = `Results of common tools: Read: { type: "text", lines: string[], firstLine, hasMore }. Glob: { files }. Grep: { text }. Bash: { output, exitCode }; a failed command throws an Error whose data has the same fields.`

const REPL_MODE = `Bash, Read, Edit and the other basic tools are only available as functions in this code.`

/** Returns the prompt. In REPL mode it says that basic tools are only available in code. */
export function prompt({ tools }: PromptOptions): string {
  const hasPrimitives = tools.some(({ modes }) => modes?.repl === 'hidden')
  return [INTRODUCTION, RESULTS, ...(hasPrimitives ? [] : [REPL_MODE])].join('\n\n')
}
