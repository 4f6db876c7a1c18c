import { bash, edit, glob, grep, read, write } from '../calls.mjs'

const CHECK = `'use strict';
var assert = require('assert');
var parse = require('..');
var cases = [
	[['--no-color'], {}, { _: [], color: false }],
	[['--no-color=false'], { boolean: 'color' }, { _: [], color: true }],
	[['-n', '5'], {}, { _: [], n: 5 }],
	[['-n=5'], {}, { _: [], n: 5 }],
	[['--n', '-5'], {}, { _: [], n: -5 }],
	[['-n', '-5'], {}, { _: [], n: -5 }],
	[['-abc', 'x'], {}, { _: [], a: true, b: true, c: 'x' }],
	[['--a.b', '1'], {}, { _: [], a: { b: 1 } }],
	[['x', '--', '-y'], {}, { _: ['x', '-y'] }]
];
var failed = 0;
cases.forEach(function (entry) {
	var actual = parse(entry[0], entry[1]);
	try {
		assert.deepStrictEqual(actual, entry[2]);
		console.log('ok ' + entry[0].join(' '));
	} catch (error) {
		failed++;
		console.log('FAILED ' + entry[0].join(' ') + ': expected ' + JSON.stringify(entry[2]) + ', got ' + JSON.stringify(actual));
	}
});
console.log(cases.length - failed + ' of ' + cases.length + ' passed');
process.exitCode = failed === 0 ? 0 : 1;
`

/** A bug in an option parser: find it, fix it in three places, keep the old behaviour, document it. */
export default {
  package: 'minimist',
  prompt:
    'Negative numbers as values are not parsed: `-n -5` gives { n: true, 5: true }. Make -n -5 and --n -5 work, also make --no-color=false mean true for booleans, add checks and mention it in the changelog.',
  turns: [
    [glob('*'), read('package.json')],
    [read('index.js')],
    [grep('-5|negative', { path: 'test', output_mode: 'content', '-n': true })],
    [read('test/num.js'), read('test/short.js')],
    [grep('setArg\\(', { path: 'index.js', output_mode: 'content' })],
    [write('test/negative.js', CHECK)],
    [bash('node test/negative.js')],
    [
      edit(
        'index.js',
        'function isConstructorOrProto(obj, key) {',
        'function isOption(x) {\n\treturn (/^(-|--)[^-]/).test(x) && !isNumber(x);\n}\n\nfunction isConstructorOrProto(obj, key) {',
      ),
    ],
    [grep('\\(-\\|--\\)\\[\\^-\\]', { path: 'index.js', output_mode: 'content', '-C': 3 })],
    [
      edit(
        'index.js',
        '\t\t\t\tnext !== undefined\n\t\t\t\t&& !(/^(-|--)[^-]/).test(next)',
        '\t\t\t\tnext !== undefined\n\t\t\t\t&& !isOption(next)',
      ),
    ],
    [
      edit(
        'index.js',
        '\t\t\t\t\targs[i + 1]\n\t\t\t\t\t&& !(/^(-|--)[^-]/).test(args[i + 1])',
        '\t\t\t\t\targs[i + 1]\n\t\t\t\t\t&& !isOption(args[i + 1])',
      ),
    ],
    [bash('node test/negative.js')],
    [grep('no-', { path: 'index.js', output_mode: 'content' })],
    [read('index.js', { offset: 148, limit: 30 })],
    [
      edit(
        'index.js',
        "\t\t\tkey = m[1];\n\t\t\tvar value = m[2];\n\t\t\tif (flags.bools[key]) {\n\t\t\t\tvalue = value !== 'false';\n\t\t\t}\n",
        "\t\t\tkey = m[1];\n\t\t\tvar value = m[2];\n\t\t\tvar negated = key.match(/^no-(.+)/);\n\t\t\tif (negated && flags.bools[negated[1]]) {\n\t\t\t\tkey = negated[1];\n\t\t\t\tvalue = value === 'false';\n\t\t\t} else if (flags.bools[key]) {\n\t\t\t\tvalue = value !== 'false';\n\t\t\t}\n",
      ),
    ],
    [bash('node test/negative.js')],
    [bash('for f in test/*.js; do node -e "require(\'./index.js\')" && echo checked $f; done')],
    [bash('git diff --stat && git status --short')],
    [grep('^## ', { path: 'CHANGELOG.md', output_mode: 'content', head_limit: 5 })],
    [read('CHANGELOG.md', { limit: 24 })],
    [
      edit(
        'CHANGELOG.md',
        '## [v1.2.8]',
        '## Unreleased\n\n- [Fix] negative numbers are values: `-n -5`, `--n -5`\n- [Fix] `--no-color=false` means true for a boolean\n\n## [v1.2.8]',
      ),
    ],
    [grep('opts.boolean', { path: 'README.md', output_mode: 'content', '-A': 3 })],
    [read('README.md', { offset: 40, limit: 40 })],
    [
      edit(
        'README.md',
        'as boolean (e.g. affects `--foo`, not `-f` or `--foo=bar`)',
        'as boolean (e.g. affects `--foo`, not `-f` or `--foo=bar`); `--no-name=false` sets a boolean\n`name` to true',
      ),
    ],
    [bash('node test/negative.js && git diff')],
  ],
  answer: 'Negative numbers are values now, and --no-color=false means true. The checks in test/negative.js pass.',
}
