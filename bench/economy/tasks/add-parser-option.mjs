import { bash, edit, grep, read, write } from '../calls.mjs'

/** A new option across the parts of a library, with long output, a command that takes too long, and a wrong edit. */
export default {
  package: 'qs',
  prompt:
    'Add a parse option `trim` (default false) that trims white space around keys and values after decoding. Validate it like the other options, document it, check it, and make sure that parsing without it is as fast as before.',
  turns: [
    [read('package.json'), read('lib/index.js')],
    [grep('ignoreQueryPrefix', { output_mode: 'content', glob: '{lib/*.js,README.md}' })],
    [read('lib/parse.js', { limit: 140 })],
    [read('lib/parse.js', { offset: 140, limit: 100 })],
    [grep('throwOnLimitExceeded', { path: 'lib/parse.js', output_mode: 'content' })],
    [read('lib/parse.js', { offset: 420, limit: 103 })],
    [
      bash(
        "node -e \"const t=require('./lib/parse');for(let i=0;i<400;i++)console.log(i,JSON.stringify(t('a['+i+']=1&b= c &d[e]='+i)))\"",
        { description: 'Print current results' },
      ),
    ],
    [
      edit(
        'lib/parse.js',
        '    throwOnLimitExceeded: false\n};',
        '    throwOnLimitExceeded: false,\n    trim: false\n};',
      ),
    ],
    [
      edit(
        'lib/parse.js',
        "        throwOnLimitExceeded: typeof opts.throwOnLimitExceeded === 'boolean' ? opts.throwOnLimitExceeded : false\n",
        "        throwOnLimitExceeded: typeof opts.throwOnLimitExceeded === 'boolean' ? opts.throwOnLimitExceeded : false,\n        trim: opts.trim === true\n",
      ),
    ],
    [
      edit(
        'lib/parse.js',
        "        throw new TypeError('`throwOnLimitExceeded` option must be a boolean');\n    }\n",
        "        throw new TypeError('`throwOnLimitExceeded` option must be a boolean');\n    }\n\n    if (typeof opts.trim !== 'undefined' && typeof opts.trim !== 'boolean') {\n        throw new TypeError('`trim` option must be a boolean');\n    }\n",
      ),
    ],
    [
      edit(
        'lib/parse.js',
        '        if (key !== null) {\n            var existing = has.call(obj, key);',
        "        if (options.trim) {\n            key = typeof key === 'string' ? key.trim() : key;\n            val = utils.maybeMap(val, trimValue);\n        }\n\n        if (key !== null) {\n            var existing = has.call(obj, key);",
      ),
    ],
    [
      edit(
        'lib/parse.js',
        'var parseValues = function parseQueryStringValues(str, options) {',
        "var trimValue = function trimValue(value) {\n    return typeof value === 'string' ? value.trim() : value;\n};\n\nvar parseValues = function parseQueryStringValues(str, options) {",
      ),
    ],
    [bash("node -e \"console.log(require('./lib/parse')('a= b &c=d ', { trim: true }))\"")],
    [
      write(
        'check-trim.js',
        "'use strict';\n\nvar assert = require('assert');\nvar parse = require('./lib/parse');\n\nassert.deepStrictEqual(parse('a= b &c=d ', { trim: true }), { a: 'b', c: 'd' });\nassert.deepStrictEqual(parse(' a =b', { trim: true }), { a: 'b' });\nassert.deepStrictEqual(parse('a= b '), { a: ' b ' });\nassert.deepStrictEqual(parse('a[]= b &a[]=c', { trim: true }), { a: ['b', 'c'] });\nassert.throws(function () { parse('a=b', { trim: 'yes' }); }, /`trim` option/);\nconsole.log('5 checks passed');\n",
      ),
    ],
    [bash('node check-trim.js')],
    [
      bash('node -e "setTimeout(() => {}, 60000); console.log(\'started\')"', {
        timeout: 1500,
        description: 'Compare the speed',
      }),
    ],
    [grep('trim', { path: 'lib/parse.js', output_mode: 'content', '-C': 2 })],
    [
      bash(
        'for i in $(seq 1 700); do echo "benchmark $i: parse 20 keys, without trim: 3.1 us, with trim: 3.2 us"; done; echo "slowest: 3.9 us"',
      ),
    ],
    [
      {
        name: 'Bash',
        input: { command: "node -e \"console.log(require('./lib/parse')('x= 1 ',{trim:true}))\" && git diff --stat" },
      },
    ],
    [grep('An optional delimiter', { path: 'README.md', output_mode: 'content', '-A': 14 })],
    [read('README.md', { offset: 185, limit: 40 })],
    [
      edit(
        'README.md',
        'An optional delimeter can also be passed:\n',
        'White space around keys and values can be removed with the `trim` option:\n',
      ),
    ],
    [
      edit(
        'README.md',
        'An optional delimiter can also be passed:\n',
        "White space around keys and values can be removed with the `trim` option:\n\n```javascript\nvar trimmed = qs.parse('a= b ', { trim: true });\nassert.deepEqual(trimmed, { a: 'b' });\n```\n\nAn optional delimiter can also be passed:\n",
      ),
    ],
    [grep('^## \\*\\*', { path: 'CHANGELOG.md', output_mode: 'content', head_limit: 3 })],
    [read('CHANGELOG.md', { limit: 12 })],
    [bash('node check-trim.js && rm check-trim.js && git diff')],
  ],
  answer: 'The option trim exists, is validated and documented; five checks pass.',
}
