import avro from 'avsc';

/**
 * A row of a table of order lines, with the values that a database driver for Node.js returns: a decimal as a string, a time as a Date, null
 * for a column without a value.
 *
 * @typedef {object} Row
 * @property {number} id from 1 on, without gaps
 * @property {number} orderId
 * @property {string} productCode
 * @property {number} quantity
 * @property {string} unitPrice decimal, two places
 * @property {Date} orderedAt
 * @property {Date | null} shippedAt
 * @property {number | null} discount a share
 * @property {boolean} isReturned
 * @property {string} comment fills the row up to its size
 */

/** Converts the milliseconds since 1970 of Avro to a Date and back. */
class PointInTime extends avro.types.LogicalType {
  /** @param {number} milliseconds */
  _fromValue(milliseconds) {
    return new Date(milliseconds);
  }

  /** @param {unknown} value undefined if it is not a time. Avro also passes null, and catching an error would be slow */
  _toValue(value) {
    return value instanceof Date ? value.getTime() : undefined;
  }
}

/** @type {avro.schema.AvroSchema} */
const pointInTime = {type: 'long', logicalType: 'timestamp-millis'};

/** Rows follow each other without separators. Both ends know the columns, as a database sends them once for a query. */
export const rowType = avro.Type.forSchema(
  {
    type: 'record',
    name: 'Row',
    fields: [
      {name: 'id', type: 'int'},
      {name: 'orderId', type: 'int'},
      {name: 'productCode', type: 'string'},
      {name: 'quantity', type: 'int'},
      {name: 'unitPrice', type: 'string'},
      {name: 'orderedAt', type: pointInTime},
      {name: 'shippedAt', type: ['null', pointInTime]},
      {name: 'discount', type: ['null', 'double']},
      {name: 'isReturned', type: 'boolean'},
      {name: 'comment', type: 'string'},
    ],
  },
  {logicalTypes: {'timestamp-millis': PointInTime}, wrapUnions: 'never', omitRecordMethods: true},
);

const {fields} = /** @type {avro.types.RecordType} */ (rowType);
const columns = fields.map(({name}) => /** @type {keyof Row} */ (name));

/**
 * @param {Row} row
 * @param {Row} expected
 * @returns {keyof Row | null} the first column whose values differ
 */
export function differingColumn(row, expected) {
  for (const column of columns) {
    const [value, other] = [row[column], expected[column]];
    if (value === other) continue;
    if (value instanceof Date && other instanceof Date && value.getTime() === other.getTime()) continue;
    return column;
  }
  return null;
}
