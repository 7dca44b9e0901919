package io.sluice.database;

import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PrepareOptions;
import io.vertx.sqlclient.PreparedQuery;
import io.vertx.sqlclient.Query;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.SqlResult;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collector;

/** A pool that can not be used without a limit in time: each statement takes a lease. */
final class LeasedPool implements Pool {

    private final Leases leases;

    LeasedPool(Leases leases) {
        this.leases = leases;
    }

    @Override
    public Future<SqlConnection> getConnection() {
        throw new UnsupportedOperationException("a connection without a limit in time; use withConnection");
    }

    @Override
    public <T> Future<T> withConnection(Function<SqlConnection, Future<T>> work) {
        return leases.lend(work);
    }

    @Override
    public <T> Future<T> withTransaction(Function<SqlConnection, Future<T>> work) {
        return leases.transaction(work);
    }

    @Override
    public Query<RowSet<Row>> query(String sql) {
        return new LeasedQuery<>(connection -> connection.query(sql));
    }

    @Override
    public PreparedQuery<RowSet<Row>> preparedQuery(String sql) {
        return new LeasedPreparedQuery<>(connection -> connection.preparedQuery(sql));
    }

    @Override
    public PreparedQuery<RowSet<Row>> preparedQuery(String sql, PrepareOptions options) {
        return new LeasedPreparedQuery<>(connection -> connection.preparedQuery(sql, options));
    }

    @Override
    public int size() {
        return leases.size();
    }

    @Override
    public Future<Void> close() {
        throw new UnsupportedOperationException("the database closes its pool");
    }

    private final class LeasedQuery<T> implements Query<T> {

        private final Function<SqlConnection, Query<T>> on;

        LeasedQuery(Function<SqlConnection, Query<T>> on) {
            this.on = on;
        }

        @Override
        public Future<T> execute() {
            return leases.lend(connection -> on.apply(connection).execute());
        }

        @Override
        public <R> Query<SqlResult<R>> collecting(Collector<Row, ?, R> collector) {
            return new LeasedQuery<>(connection -> on.apply(connection).collecting(collector));
        }

        @Override
        public <U> Query<RowSet<U>> mapping(Function<Row, U> mapper) {
            return new LeasedQuery<>(connection -> on.apply(connection).mapping(mapper));
        }
    }

    private final class LeasedPreparedQuery<T> implements PreparedQuery<T> {

        private final Function<SqlConnection, PreparedQuery<T>> on;

        LeasedPreparedQuery(Function<SqlConnection, PreparedQuery<T>> on) {
            this.on = on;
        }

        @Override
        public Future<T> execute() {
            return leases.lend(connection -> on.apply(connection).execute());
        }

        @Override
        public Future<T> execute(Tuple tuple) {
            return leases.lend(connection -> on.apply(connection).execute(tuple));
        }

        @Override
        public Future<T> executeBatch(List<Tuple> batch) {
            return leases.lend(connection -> on.apply(connection).executeBatch(batch));
        }

        @Override
        public <R> PreparedQuery<SqlResult<R>> collecting(Collector<Row, ?, R> collector) {
            return new LeasedPreparedQuery<>(connection -> on.apply(connection).collecting(collector));
        }

        @Override
        public <U> PreparedQuery<RowSet<U>> mapping(Function<Row, U> mapper) {
            return new LeasedPreparedQuery<>(connection -> on.apply(connection).mapping(mapper));
        }
    }
}
