/**
 * Owns the pool, transactions, migrations, the embedded PostgreSQL, the data folder and the change doorbell; knows no
 * table of another room, and uses no other room.
 */
@NullMarked
package io.sluice.database;

import org.jspecify.annotations.NullMarked;
