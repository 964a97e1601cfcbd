# RcppML on one matrix: Rscript rcppml.R FOLDER ROWS COLUMNS NNZ RANK SEED TOL MAXIT
# X (rows x columns, by rows) is in FOLDER; read by columns its arrays are A = t(X).
library(RcppML)
library(Matrix)
args <- commandArgs(TRUE)
folder <- args[1]
number <- as.numeric(args[-1])
rows <- number[1]; columns <- number[2]; nnz <- number[3]; rank <- number[4]
part <- function(name, what, count) readBin(file.path(folder, name), what, count, size = if (what == "double") 8 else 4)
if (nnz > 0) {
  A <- new("dgCMatrix", x = part("data", "double", nnz), i = part("indices", "integer", nnz),
           p = part("indptr", "integer", rows + 1), Dim = as.integer(c(columns, rows)))
} else {
  A <- matrix(part("dense", "double", rows * columns), columns, rows)
}
invisible(gc())
try(cat("5", file = "/proc/self/clear_refs"), silent = TRUE)
began <- Sys.time()
made <- nmf(A, rank, tol = number[6], maxit = number[7], verbose = FALSE, seed = number[5])
seconds <- as.numeric(difftime(Sys.time(), began, units = "secs"))
peak <- grep("^VmHWM", readLines("/proc/self/status"), value = TRUE)
peak <- 1024 * as.numeric(gsub("[^0-9]", "", peak))
writeBin(as.vector(made$w %*% diag(made$d, rank)), file.path(folder, "w"))
writeBin(as.vector(made$h), file.path(folder, "h"))
cat(sprintf('{"seconds": %.6f, "peak_bytes": %.0f, "iterations": %d, "threads_used": %d}', seconds, peak,
            as.integer(made$iter), as.integer(getRcppMLthreads())), file = file.path(folder, "figures.json"))
