// What a trigger may read: known series, right arguments, right units, no marks.
import { quote } from './cursor.ts';
import { type Findings, nearestKnown } from './findings.ts';
import { countMax, durationSMax } from './limits.ts';
import { amountText, durationS, durationText, seriesText } from './literals.ts';
import type { Condition, Duration, NumberOperand, Operand, Percentile, Series, Trigger } from './model.ts';
import { isMark, isOptionQuote, literalExample, literalUnits, type SeriesRow, series, seriesNames } from './series.ts';

/** Where a trigger stands: `exit` is EXIT and INVALIDATE, `entry` every other trigger of a plan. */
export type TriggerPlace = 'wake' | 'entry' | 'exit';

const realised = ['spot', 'time', 'phase', 'T-10', 'position.qty', 'pnl.realized'];

export function checkTrigger(trigger: Trigger, place: TriggerPlace, findings: Findings): void {
  switch (trigger.kind) {
    case 'and':
    case 'or':
      for (const part of trigger.of) checkTrigger(part, place, findings);
      return;
    case 'not':
    case 'paren':
      checkTrigger(trigger.of, place, findings);
      return;
    case 'held':
    case 'within':
      checkTrigger(trigger.of, place, findings);
      checkDuration(trigger.duration, findings);
      return;
    default:
      checkCondition(trigger, place, findings);
  }
}

export function checkDuration(duration: Duration, findings: Findings): void {
  const seconds = durationS(duration);
  if (seconds > 0 && seconds <= durationSMax) return;
  findings.add({
    code: 'K053',
    node: duration,
    message: `\`${durationText(duration)}\` is ${seconds > 0 ? 'longer than seven days' : 'no time at all'}`,
    expected: ['a duration from 1s to 168h'],
  });
}

function checkCondition(condition: Condition, place: TriggerPlace, findings: Findings): void {
  switch (condition.kind) {
    case 'compare':
    case 'crosses': {
      const left = checkOperand(condition.left, place, findings);
      if (condition.right.kind === 'percentile') {
        checkPercentile(condition.left, left, condition.right, findings);
        return;
      }
      const right = checkOperand(condition.right, place, findings);
      checkUnits(condition.left, left, condition.right, right, findings);
      return;
    }
    case 'time':
      if (condition.cmp !== '>=' && condition.cmp !== '<') {
        findings.add({
          code: 'K053',
          node: condition,
          message: `\`time\` is compared with \`>=\` or \`<\`, not \`${condition.cmp}\``,
          expected: ['time >= 09:45', 'time < 15:30'],
        });
      }
      return;
    case 'phase':
    case 'to-close':
    case 'plan':
      return;
    default:
      condition satisfies never;
  }
}

/** The operand's row in the series table; undefined for a number, or where the series has been refused. */
function checkOperand(operand: Operand, place: TriggerPlace, findings: Findings): SeriesRow | undefined {
  if (operand.kind === 'number') return undefined;
  const { name, symbol } = operand;
  if (isMark(name) || (place === 'exit' && isOptionQuote(name, symbol))) {
    findings.add({
      code: 'K050',
      node: operand,
      part: 'name',
      message:
        place === 'exit'
          ? `\`${seriesText(operand)}\` is a mark: an exit reads the underlying, the clock, the tape or realised facts`
          : `\`${seriesText(operand)}\` is an opinion of worth, which no trigger reads`,
      expected: realised,
      hint: name.startsWith('pnl.') ? 'did you mean `pnl.realized`?' : 'read the signal symbol instead',
    });
    return undefined;
  }
  const row = series.get(name);
  if (row === undefined) {
    const dash = name.indexOf('-');
    findings.add({
      code: 'K051',
      node: operand,
      part: 'name',
      message: `unknown series ${quote(name)}`,
      expected: seriesNames,
      hint:
        dash > 0 && series.has(name.slice(0, dash))
          ? `a word may hold hyphens: put a space before the sign of \`${name.slice(0, dash)} ${name[dash]} ${name.slice(dash + 1)}\``
          : nearestKnown(name, seriesNames),
    });
    return undefined;
  }
  checkArgs(operand, row, findings);
  if (row.scope === 'plan' && place === 'wake') {
    findings.add({
      code: 'K051',
      node: operand,
      part: 'name',
      message: `\`${name}\` is a plan's own fact, and a wake has no plan`,
      expected: seriesNames.filter((known) => series.get(known)?.scope === 'symbol'),
    });
  }
  if (row.scope === 'plan' && symbol !== undefined) {
    findings.add({
      code: 'K053',
      node: operand,
      part: 'name',
      message: `\`${name}\` is a fact of the plan and takes no symbol`,
      expected: [name],
    });
  }
  checkOffset(operand, row, findings);
  return row;
}

function checkArgs(operand: Series, row: SeriesRow, findings: Findings): void {
  const wrong = (message: string, node: object = operand): void => {
    findings.add({
      code: 'K053',
      node,
      ...(node === operand ? { part: 'name' } : {}),
      message,
      expected: [row.form],
    });
  };
  if (operand.args.length !== row.args.length) {
    wrong(
      row.args.length === 0
        ? `\`${row.name}\` takes no arguments`
        : `\`${row.form}\` takes ${row.args.length === 1 ? 'one argument' : `${row.args.length} arguments`}, not ${operand.args.length}`,
    );
    return;
  }
  operand.args.forEach((arg, k) => {
    const want = row.args[k]!;
    if (want === 'count') {
      if (arg.kind !== 'int' || arg.n < 1 || arg.n > countMax) {
        wrong(`argument ${k + 1} of \`${row.form}\` is a count of bars from 1 to ${countMax}`, arg);
      }
    } else if (arg.kind !== 'duration') wrong(`argument ${k + 1} of \`${row.form}\` is a duration such as 5m`, arg);
    else checkDuration(arg.duration, findings);
  });
}

function checkOffset(operand: Series, row: SeriesRow, findings: Findings): void {
  const unit = operand.offset?.offset.unit;
  if (unit === undefined || unit === '%' || unit === 'bps' || row.unit === 'price') return;
  findings.add({
    code: 'K053',
    node: operand.offset!.offset,
    message: `\`${row.name}\` is no price: it moves by per cent or basis points`,
    expected: ['10%', '5bps'],
  });
}

function checkPercentile(left: Operand, row: SeriesRow | undefined, percentile: Percentile, findings: Findings): void {
  if (left.kind === 'series' && (row === undefined || row.reference)) return;
  const name = left.kind === 'series' ? left.name : 'a number';
  findings.add({
    code: 'K052',
    node: percentile,
    message: `${left.kind === 'series' ? `\`${name}\`` : name} has no reference distribution`,
    expected: ['a price or a number'],
    hint: `percentiles stand against ${seriesNames.filter((known) => series.get(known)?.reference).join(', ')}`,
  });
}

function checkUnits(
  left: Operand,
  leftRow: SeriesRow | undefined,
  right: Operand,
  rightRow: SeriesRow | undefined,
  findings: Findings,
): void {
  if (left.kind === 'number' && right.kind === 'number') {
    if ((left.unit ?? '') !== (right.unit ?? '')) refuseUnit(right, 'the other side', 'the same unit', findings);
    return;
  }
  if (left.kind === 'number') {
    if (rightRow !== undefined) checkLiteral(left, rightRow, findings);
    return;
  }
  if (right.kind === 'number') {
    if (leftRow !== undefined) checkLiteral(right, leftRow, findings);
    return;
  }
  if (leftRow === undefined || rightRow === undefined || measures(leftRow) === measures(rightRow)) return;
  findings.add({
    code: 'K053',
    node: right,
    part: 'name',
    message: `\`${leftRow.name}\` is in ${leftRow.unit} and \`${rightRow.name}\` in ${rightRow.unit}`,
    expected: [literalExample[leftRow.unit]],
  });
}

/** What a row counts; shares and a plan's counts are both whole pieces. */
function measures(row: SeriesRow): string {
  return row.unit === 'shares' ? 'count' : row.unit;
}

function checkLiteral(number: NumberOperand, row: SeriesRow, findings: Findings): void {
  if (number.unit === undefined || literalUnits[row.unit].includes(number.unit)) return;
  refuseUnit(number, `\`${row.name}\``, literalExample[row.unit], findings);
}

function refuseUnit(number: NumberOperand, against: string, expected: string, findings: Findings): void {
  findings.add({
    code: 'K053',
    node: number,
    message: `\`${amountText(number.unit, number.e4)}\` has the wrong unit against ${against}`,
    expected: [expected],
  });
}
