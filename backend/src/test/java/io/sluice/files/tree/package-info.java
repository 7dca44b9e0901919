@NullMarked
package io.sluice.files.tree;

import org.jspecify.annotations.NullMarked;
