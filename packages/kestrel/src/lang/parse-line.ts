// Reading the statements of one line: IMPORT, USING, WAKE, VIEW.
import { type Cursor, type Draftable, quote, stop } from './cursor.ts';
import type { Block } from './layout.ts';
import type { Import, Pane, SeriesArg, UsingClause, View, Wake } from './model.ts';
import { finishStatement, none, wholeNumber } from './parse-block.ts';
import { tryExpiry } from './parse-ticket.ts';
import { afterTrigger, parseArgs, parseTrigger, takeName, takeSymbol } from './parse-trigger.ts';
import { BAD, NUMBER, WORD } from './scan.ts';
import { isPath, isWord, reserved } from './vocabulary.ts';

const afterWake = afterTrigger(['DELIVER']);
const wakeOptions = ['priority', 'budget', 'cooldown'];

export function parseImport(c: Cursor, block: Block): Import {
  c.i++;
  const names: string[] = [];
  const nameTokens: number[] = [];
  do {
    nameTokens.push(c.i);
    names.push(takeName(c, 'a name'));
  } while (c.tryPunct(44));
  c.takeHead('FROM', [',', 'FROM']);
  const pathAt = c.i;
  const path = takePath(c);
  c.finish(none);
  const node: Import = { kind: 'import', blank: block.blank, names, path };
  nameTokens.forEach((token, k) => {
    c.part(node, `names.${k}`, token);
  });
  c.spans.part(node, 'path', c.scan.start[pathAt]!, c.previousEnd);
  return finishStatement(c, node, block);
}

function takePath(c: Cursor): string {
  const expected = ['a path such as ./plans.kestrel'];
  if (c.kind === 0) c.fail(expected);
  const from = c.i;
  while (c.i + 1 < c.end && c.scan.start[c.i + 1] === c.scan.end[c.i]) c.i++;
  const path = c.scan.text.slice(c.scan.start[from], c.scan.end[c.i]);
  c.i++;
  if (isPath(path)) return path;
  if (/^[/~]/.test(path) && c.scan.kind[from] !== BAD) {
    c.report('K013', from, c.i, `${quote(path)} leads outside the document's root`, {
      expected,
      hint: 'paths begin with ./',
    });
    throw stop;
  }
  const to = c.i;
  c.i = from;
  if (c.kind !== WORD || c.text === reserved) c.fail(expected, 'a path begins with ./ or ../');
  c.report('K001', from, to, `expected ${expected[0]}, found ${quote(path)}`, {
    expected,
    hint: 'a path begins with ./ or ../',
  });
  throw stop;
}

export function parseUsing(c: Cursor): UsingClause {
  c.takeOption('signal');
  const signal = takeSymbol(c);
  c.takeOption('exec');
  const exec = takeSymbol(c);
  const expiry = tryExpiry(c);
  c.finish(expiry === undefined ? ['0dte', 'a date'] : none);
  return expiry === undefined ? { signal, exec } : { signal, exec, expiry };
}

export function parseWake(c: Cursor, block: Block): Wake {
  c.i++;
  const nameAt = c.i;
  const name = takeName(c, 'a name for the wake');
  c.takeHead('WHEN');
  const when = parseTrigger(c);
  c.takeHead('DELIVER', afterWake);
  const deliverAt = c.i;
  const deliver = takeName(c, 'the name of a view');
  const node: Draftable<Wake> = { kind: 'wake', blank: block.blank, name, when, deliver };
  c.part(node, 'name', nameAt);
  c.part(node, 'deliver', deliverAt);
  if (c.tryOption('priority')) node.priority = c.takeInt(wholeNumber);
  if (c.tryOption('budget')) {
    c.part(node, 'perDay', Math.min(c.i, c.end - 1));
    node.perDay = c.takeInt(wholeNumber);
    c.takeOption('wakes', ['wakes/day']);
    c.takePunct(47, ['wakes/day']);
    c.takeOption('day', ['wakes/day']);
  }
  if (c.tryOption('cooldown')) node.cooldown = c.takeDuration();
  c.finish(wakeOptions);
  return finishStatement(c, node, block);
}

export function parseView(c: Cursor, block: Block): View {
  c.i++;
  const nameAt = c.i;
  const name = takeName(c, 'a name for the view');
  const node: Draftable<View> & { panes: Pane[] } = {
    kind: 'view',
    blank: block.blank,
    name,
    panes: [],
  };
  c.part(node, 'name', nameAt);
  if (c.option === 'budget' && c.i + 1 < c.end && c.scan.kind[c.i + 1] === NUMBER) {
    c.i++;
    c.part(node, 'tokens', c.i);
    node.tokens = c.takeInt(wholeNumber);
    c.takeOption('tokens');
  }
  do {
    const from = c.i;
    if (c.kind !== WORD || !isWord(c.text) || c.text === reserved) {
      c.fail(['a pane such as tape(5m, 12)']);
    }
    const word = c.text;
    c.i++;
    const args: SeriesArg[] = [];
    if (c.isPunct(40)) parseArgs(c, args);
    const pane: Pane = c.mark({ word, args }, from);
    c.part(pane, 'word', from);
    node.panes.push(pane);
  } while (c.i < c.end);
  return finishStatement(c, node, block);
}
