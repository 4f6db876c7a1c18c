import { bash, glob, grep, read } from '../calls.mjs'

/** Questions about unknown code: much reading and searching, a sub-agent, no change. */
export default {
  package: 'picomatch',
  prompt:
    'How does picomatch turn a glob into a regular expression? Where are braces, extglobs and negation handled, which options change that, and where could matching become slow? Cite lines.',
  turns: [
    [glob('**/*.js'), read('index.js'), read('package.json')],
    [read('lib/picomatch.js', { limit: 120 })],
    [grep('^\\s*(const|let) \\w+ = \\(|=> \\{$', { path: 'lib/parse.js', output_mode: 'content' })],
    [read('lib/constants.js', { limit: 90 })],
    [read('lib/parse.js', { limit: 130 })],
    [grep('opts\\.', { path: 'lib/parse.js', output_mode: 'content' })],
    [
      {
        name: 'Agent',
        input: {
          description: 'Find the options',
          prompt:
            'List every option that lib/picomatch.js, lib/scan.js and lib/utils.js read from opts or options, with the line.',
          subagent_type: 'Explore',
        },
      },
    ],
    [grep('brace', { path: 'lib/parse.js', output_mode: 'content' })],
    [read('lib/parse.js', { offset: 560, limit: 80 })],
    [grep('extglob', { path: 'lib/parse.js', output_mode: 'content' })],
    [read('lib/parse.js', { offset: 400, limit: 90 })],
    [grep('negated', { output_mode: 'content', glob: 'lib/*.js' })],
    [read('lib/scan.js', { offset: 60, limit: 80 })],
    [grep('maxLength|MAX_LENGTH', { output_mode: 'content', glob: 'lib/*.js' })],
    [bash("node -e \"console.log(require('.').makeRe('{a,b}/**/*.!(js|ts)').source)\"")],
    [
      bash(
        "node -e \"for (const g of ['*.js','**/*.js','!(a|b)','{a,b}','a?b','[a-z]']) console.log(g, require('.').makeRe(g))\"",
      ),
    ],
    [grep('wrapOutput|removePrefix', { output_mode: 'content' })],
    [read('lib/utils.js')],
    [grep('fastpaths', { output_mode: 'content', '-n': true })],
    [read('lib/parse.js', { offset: 1290, limit: 97 })],
    [
      bash(
        "node -e \"const m=require('.');console.log(m('*(a|a)b')('a'.repeat(12)), m.parse('a/{b,c}/*.js').tokens.length)\"",
      ),
    ],
    [bash('grep -c "" lib/*.js; git log --oneline | head -3')],
    [read('README.md', { limit: 60 })],
    [grep('strictBrackets|nobrace|noextglob|nonegate', { path: 'README.md', output_mode: 'content' })],
  ],
  agents: [
    {
      opening: 'List every option that lib/picomatch.js',
      turns: [
        [grep('opts\\.|options\\.', { path: 'lib/picomatch.js', output_mode: 'content' })],
        [grep('opts\\.|options\\.', { path: 'lib/scan.js', output_mode: 'content' }), read('lib/utils.js')],
        [read('lib/picomatch.js', { offset: 200, limit: 60 })],
      ],
    },
  ],
  answer: 'parse.js builds the source token by token; braces, extglobs and negation are handled at the cited lines.',
}
