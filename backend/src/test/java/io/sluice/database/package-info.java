@NullMarked
package io.sluice.database;

import org.jspecify.annotations.NullMarked;
