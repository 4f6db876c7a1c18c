import { bash, edit, glob, grep, multiEdit, read, write } from '../calls.mjs'

/** Several edits in one file and its types, and a watcher in the background that the model stops itself. */
export default {
  package: 'json5',
  prompt:
    'Add an option `trailingComma` (default true) to JSON5.stringify, next to `quote`, and an option --json5 to the command line that prints JSON5 instead of JSON. Update the types and the README.',
  turns: [
    [glob('lib/*'), read('package.json')],
    [read('lib/stringify.js')],
    [read('lib/stringify.d.ts'), read('lib/cli.js')],
    [
      bash(
        "node -e \"require('fs').watchFile('lib/stringify.js', () => { delete require.cache[require.resolve('./lib')]; console.log('changed') })\"",
        {
          run_in_background: true,
          description: 'Watch the serializer',
        },
      ),
    ],
    [
      multiEdit('lib/stringify.js', [
        ['    let quote\n', '    let quote\n    let trailingComma = true\n'],
        [
          '        quote = replacer.quote\n',
          '        quote = replacer.quote\n        trailingComma = replacer.trailingComma !== false\n',
        ],
        [
          "                final = '{\\n' + indent + properties + ',\\n' + stepback + '}'",
          "                final = '{\\n' + indent + properties + end + stepback + '}'",
        ],
        [
          "                final = '[\\n' + indent + properties + ',\\n' + stepback + ']'",
          "                final = '[\\n' + indent + properties + end + stepback + ']'",
        ],
      ]),
    ],
    [grep('separator|end \\+', { path: 'lib/stringify.js', output_mode: 'content' })],
    [
      edit(
        'lib/stringify.js',
        "    return serializeProperty('', {'': value})\n",
        "    const end = trailingComma ? ',\\n' : '\\n'\n\n    return serializeProperty('', {'': value})\n",
      ),
    ],
    [
      bash(
        "node -e \"const J=require('./lib');console.log(J.stringify({a:[1,2],b:'x'},{space:2,trailingComma:false}))\"",
      ),
    ],
    [bash("node -e \"const J=require('./lib');console.log(J.stringify({a:[1,2],b:'x'},null,2))\"")],
    [grep('quote', { path: 'lib/stringify.d.ts', output_mode: 'content', '-C': 4 })],
    [
      edit(
        'lib/stringify.d.ts',
        '  quote?: string | null\n',
        '  quote?: string | null\n\n  /**\n   * Whether objects and arrays over several lines end with a comma; true by default.\n   */\n  trailingComma?: boolean\n',
      ),
    ],
    [read('lib/stringify.d.ts', { limit: 40 })],
    [grep("case '--", { path: 'lib/cli.js', output_mode: 'content', '-A': 3 })],
    [
      edit(
        'lib/cli.js',
        "        case '--validate':\n",
        "        case '--json5':\n            asJson5 = true\n            break\n\n        case '--validate':\n",
      ),
    ],
    [edit('lib/cli.js', '    let convert\n    let space\n', '    let convert\n    let asJson5\n    let space\n')],
    [grep('convert', { path: 'lib/cli.js', output_mode: 'content' })],
    [read('lib/cli.js', { offset: 78, limit: 60 })],
    [edit('lib/cli.js', '        convert,\n', '        convert,\n        asJson5,\n')],
    [
      edit(
        'lib/cli.js',
        '                const json = JSON.stringify(value, null, space)\n',
        '                const json = argv.asJson5\n                    ? JSON5.stringify(value, null, space)\n                    : JSON.stringify(value, null, space)\n',
      ),
    ],
    [write('example.json5', "{\n  // a comment\n  name: 'example',\n  list: [1, 2, 3,],\n}\n")],
    [bash('node lib/cli.js --json5 -s 2 example.json5; echo; node lib/cli.js example.json5')],
    [
      edit(
        'lib/cli.js',
        '    -v, --validate           Validate JSON5 but do not output JSON\n',
        '    --json5                  Output JSON5 instead of JSON\n    -v, --validate           Validate JSON5 but do not output JSON\n',
      ),
    ],
    [
      {
        name: 'TaskStop',
        input: (/** @type {string} */ results) => ({ task_id: /as task ([\w-]+)/.exec(results)?.[1] ?? 'unknown' }),
      },
    ],
    [grep('`quote`', { path: 'README.md', output_mode: 'content', '-C': 3 })],
    [read('README.md', { offset: 165, limit: 30 })],
    [
      edit(
        'README.md',
        '  - `quote`: A String representing the quote character to use when serializing\n',
        '  - `trailingComma`: Whether objects and arrays over several lines end with a comma; true by default.\n  - `quote`: A String representing the quote character to use when serializing\n',
      ),
    ],
    [bash('rm example.json5 && git status --short && git diff --stat')],
    [
      bash(
        'node -e "const J=require(\'./lib\');const v={a:{b:[{c:1}]}};for(const t of [true,false])console.log(J.stringify(v,{space:1,trailingComma:t}))"',
      ),
    ],
  ],
  answer: 'trailingComma and --json5 exist, with types and documentation.',
}
